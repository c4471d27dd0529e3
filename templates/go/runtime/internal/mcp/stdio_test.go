package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// commandVariable makes the test binary be an MCP server on its standard streams.
const commandVariable = "TEST_MCP_COMMAND"

func newOfficialServer() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "official", Version: "1"}, nil)
	add := func(name string, answer func() string) {
		sdk.AddTool(server, &sdk.Tool{Name: name}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: answer()}}}, nil, nil
		})
	}
	add("hello", func() string { return "hello" })
	add("env", func() string { return strings.Join(os.Environ(), "\n") })
	add("exit", func() string { os.Exit(1); return "" })
	add("sleep", func() string { time.Sleep(time.Minute); return "" })
	return server
}

// runCommand is what the test binary does as an MCP server.
func runCommand() {
	fmt.Fprintln(os.Stderr, "started with", os.Getenv("KEY"))
	if os.Getenv("KEY") == "" {
		fmt.Fprint(os.Stderr, "KEY is not set")
		os.Exit(3)
	}
	_ = newOfficialServer().Run(context.Background(), &sdk.StdioTransport{})
}

func TestServerThatIsACommand(t *testing.T) {
	t.Setenv("SECRET_OF_THE_AGENT", "secret")
	setup := newSetup(Server{
		Name: "s", Transport: "stdio", Command: os.Args[0],
		Env: map[string]string{commandVariable: "1", "KEY": "${KEY}"},
	})
	setup.variables = map[string]string{"KEY": "keyvalue"}
	client := setup.start(t)
	eventuallyOffered(t, client, "s__env s__exit s__hello s__sleep")
	if text := mustCall(t, client, "s__hello", ""); text != "hello" {
		t.Errorf("text: %q", text)
	}
	environment := mustCall(t, client, "s__env", "")
	mustContain(t, environment, "KEY=keyvalue", "PATH=")
	mustNotContain(t, environment, "SECRET_OF_THE_AGENT")

	mustFail(t, client, "s__exit", "") // and not twice, since the call arrived
	eventually(t, "connected again", func() bool { return strings.Count(setup.log.String(), "MCP server connected") == 2 })
	mustCall(t, client, "s__hello", "")
	mustContain(t, setup.log.String(), "started with [redacted]")
	mustNotContain(t, setup.log.String(), "keyvalue")

	go func() { _, _ = client.Call(context.Background(), "s__sleep", nil) }()
	time.Sleep(50 * time.Millisecond)
	begun := time.Now()
	if err := client.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if took := time.Since(begun); took > 2500*time.Millisecond {
		t.Errorf("Close took %s", took)
	}
}

func TestCommandThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	for command, reason := range map[string]string{
		"/no/such/command": "no such file",
		os.Args[0]:         "the command ended, exit status 3: KEY is not set",
	} {
		setup := newSetup(Server{Name: "s", Transport: "stdio", Command: command, Env: map[string]string{commandVariable: "1"}})
		setup.MaxRetries = 1
		client := setup.start(t)
		eventually(t, "given up", client.Ready)
		mustContain(t, setup.log.String(), reason, "address="+command)
	}
}

func TestServerOverSSE(t *testing.T) {
	t.Parallel()
	server := newOfficialServer()
	handler := sdk.NewSSEHandler(func(r *http.Request) *sdk.Server {
		if r.Header.Get("X-Key") != "value" {
			return nil
		}
		return server
	}, nil)
	httpServer := httptest.NewServer(handler)
	t.Cleanup(func() {
		httpServer.CloseClientConnections()
		httpServer.Close()
	})
	setup := newSetup(Server{Name: "s", URL: httpServer.URL + "/sse", Headers: map[string]string{"X-Key": "value"}})
	setup.DialTimeout = 300 * time.Millisecond
	client := setup.start(t)
	eventuallyOffered(t, client, "s__env s__exit s__hello s__sleep")
	time.Sleep(2 * setup.DialTimeout) // which must not end the session
	mustCall(t, client, "s__hello", "")
	if strings.Count(setup.log.String(), "MCP server connected") != 1 {
		t.Errorf("log: %s", setup.log.String())
	}
	httpServer.CloseClientConnections()
	eventually(t, "connected again", func() bool { return strings.Count(setup.log.String(), "MCP server connected") == 2 })
	mustCall(t, client, "s__hello", "")
}
