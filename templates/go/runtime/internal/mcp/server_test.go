package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const changeNotice = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

// openStream answers the request for the stream and sends the texts. A nil channel sends nothing; a closed one ends it.
func openStream(texts <-chan string) func(http.ResponseWriter, *http.Request, message) bool {
	return func(w http.ResponseWriter, r *http.Request, _ message) bool {
		if r.Method != http.MethodGet {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.(http.Flusher).Flush()
		for {
			select {
			case <-r.Context().Done():
				return true
			case text, open := <-texts:
				if !open {
					return true
				}
				fmt.Fprint(w, text)
				w.(http.Flusher).Flush()
			}
		}
	}
}

func TestRetrySchedule(t *testing.T) {
	t.Parallel()
	for _, c := range contract[struct {
		About, RetryInterval, RetryMaxInterval string
		MaxRetries                             int
		Attempts, Pauses                       []string
		GivenUp, Refused                       bool
	}](t, "retry") {
		setup := newSetup()
		setup.RetryInterval, _ = time.ParseDuration(c.RetryInterval)
		setup.RetryMaxInterval, setup.FixedRetryMax = 30*time.Second, c.RetryMaxInterval != ""
		if setup.FixedRetryMax {
			setup.RetryMaxInterval, _ = time.ParseDuration(c.RetryMaxInterval)
		}
		if err := setup.settleRetries(setup.Lookup); (err != nil) != c.Refused || c.Refused {
			if (err != nil) != c.Refused {
				t.Errorf("%s: %v", c.About, err)
			}
			continue
		}
		pauses, pause := []string{}, setup.RetryInterval
		for i, attempt := range c.Attempts {
			switch last := i == len(c.Attempts)-1; {
			case attempt == "succeed":
				pause = setup.RetryInterval
			case !last || !c.GivenUp:
				pauses = append(pauses, pause.String())
				pause = min(2*pause, setup.RetryMaxInterval)
			}
		}
		if strings.Join(pauses, " ") != strings.Join(c.Pauses, " ") {
			t.Errorf("%s: %v, want %v", c.About, pauses, c.Pauses)
		}
	}
}

func TestServerMayComeLateGoAndComeBack(t *testing.T) {
	t.Parallel()
	server := newScripted(t, "echo")
	server.setDown(true)
	setup := newSetup(Server{Name: "late", URL: server.URL})
	client := setup.start(t)
	eventually(t, "four failed attempts", setup.log.contains("failures=4"))
	mustContain(t, setup.log.String(), "retry_in=10ms", "retry_in=20ms", "retry_in=40ms")
	mustNotContain(t, setup.log.String(), "retry_in=80ms")
	if names := offered(client); names != "" || len(client.Definitions()) != 2 || client.Ready() {
		t.Errorf("offered too early: %s, ready: %v", names, client.Ready())
	}
	server.setDown(false)
	eventuallyOffered(t, client, "late__echo")
	if !client.Ready() {
		t.Error("connected, but not ready")
	}
	mustContain(t, mustCall(t, client, "late__echo", `{"a":1}`), `echo on `+server.address()+` got {"a":1}`)

	server.setDown(true)
	mustContain(t, mustFail(t, client, "late__echo", ""), `MCP server "late"`)
	server.offer([]string{"more"})
	server.setDown(false)
	eventuallyOffered(t, client, "late__more")
	mustCall(t, client, "late__more", "")
}

func TestCallMakesAnAttemptAtOnce(t *testing.T) {
	t.Parallel()
	server := newScripted(t, "echo")
	setup := newSetup(Server{Name: "s", URL: server.URL})
	setup.RetryInterval, setup.RetryMaxInterval = time.Hour, time.Hour
	client := setup.start(t)
	eventuallyOffered(t, client, "s__echo")
	server.setDown(true)
	mustFail(t, client, "s__echo", "")
	eventually(t, "the reason is told", func() bool {
		return strings.Contains(mustFail(t, client, "s__echo", ""), "is not connected: EOF")
	})
	server.setDown(false)
	mustCall(t, client, "s__echo", "")
}

func TestServerIsGivenUpAfterTheLastRetry(t *testing.T) {
	t.Parallel()
	server := newScripted(t, "echo")
	server.setDown(true)
	setup := newSetup(Server{Name: "gone", URL: server.URL})
	setup.MaxRetries = 2
	client := setup.start(t)
	eventually(t, "the server is given up", func() bool { return client.Ready() })
	if attempts := len(server.seen("initialize")); attempts != 3 {
		t.Errorf("%d attempts, want 3", attempts)
	}
	mustContain(t, setup.log.String(), "level=ERROR", "given up", "failures=3", "server=gone")
	if names := offered(client); names != "" {
		t.Errorf("offered: %s", names)
	}
}

func TestSuccessResetsTheRetries(t *testing.T) {
	t.Parallel()
	server := newScripted(t, "echo")
	setup := newSetup(Server{Name: "flaky", URL: server.URL})
	setup.MaxRetries, setup.RefreshInterval = 3, 20*time.Millisecond
	setup.RetryInterval, setup.RetryMaxInterval = 50*time.Millisecond, 50*time.Millisecond
	client := setup.start(t)
	for range 3 {
		server.setDown(true)
		failed := strings.Count(setup.log.String(), "failures=2")
		eventually(t, "two failures", func() bool { return strings.Count(setup.log.String(), "failures=2") > failed })
		server.setDown(false)
		eventually(t, "connected", func() bool { return client.servers[0].current() != nil })
	}
	mustCall(t, client, "flaky__echo", "")
}

func TestLostSessionIsReplacedWithinTheCall(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]struct {
		status int
		body   string
		lost   bool
	}{
		"404 without a body":    {404, "", true},
		"404 with text":         {404, "no such session", true},
		"404 with id":           {404, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"Session not found"}}`, true},
		"400 with id":           {400, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"Bad Request: no valid session"}}`, true},
		"400 with null id":      {400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`, true},
		"400 with another id":   {400, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Missing session ID"}}`, true},
		"400 not initialized":   {400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}`, true},
		"400 about a parameter": {400, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"session id must be a number"}}`, false},
		"400 about a recording": {400, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"recording session 5 is still running"}}`, false},
		"400 with text":         {400, "this field needs a session", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newScripted(t, "echo")
			server.on(func(w http.ResponseWriter, r *http.Request, m message) bool {
				if r.Header.Get("Mcp-Session-Id") != "session-1" || m.Method != "tools/call" {
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(refusal.status)
				fmt.Fprint(w, strings.ReplaceAll(refusal.body, "ID,", string(m.ID)+","))
				return true
			})
			client := connect(t, server, "s__echo")
			if !refusal.lost {
				mustFail(t, client, "s__echo", "")
				if sessions := len(server.seen("initialize")); sessions != 1 {
					t.Errorf("%d sessions, want 1", sessions)
				}
				return
			}
			mustCall(t, client, "s__echo", "{}")
			if calls := server.seen("tools/call"); len(calls) != 2 || calls[1].header.Get("Mcp-Session-Id") != "session-2" {
				t.Errorf("calls: %v", calls)
			}
		})
	}
}

func TestCallIsRetriedOnceOnlyAndNeverWhenItMayHaveArrived(t *testing.T) {
	t.Parallel()
	server := newScripted(t, "echo")
	server.onMethod("tools/call", func(w http.ResponseWriter, _ *http.Request, _ message) { w.WriteHeader(http.StatusNotFound) })
	client := connect(t, server, "s__echo")
	mustContain(t, mustFail(t, client, "s__echo", "{}"), "session not found")
	if calls := len(server.seen("tools/call")); calls != 2 {
		t.Errorf("%d calls, want 2", calls)
	}
	server.onMethod("tools/call", func(http.ResponseWriter, *http.Request, message) { panic(http.ErrAbortHandler) })
	mustFail(t, client, "s__echo", "{}")
	if calls := len(server.seen("tools/call")); calls != 3 {
		t.Errorf("%d calls, want 3", calls)
	}
}

func TestCallEndsInTime(t *testing.T) {
	t.Parallel()
	server := newScripted(t, "slow")
	server.onMethod("tools/call", hang)
	setup := newSetup(Server{Name: "s", URL: server.URL})
	setup.CallTimeout = 50 * time.Millisecond
	client := setup.start(t)
	eventuallyOffered(t, client, "s__slow")
	begun := time.Now()
	mustContain(t, mustFail(t, client, "s__slow", ""), "did not answer", "50ms")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if result, _ := client.Call(ctx, "s__slow", nil); !result.IsError || !strings.Contains(result.Text, "canceled") {
		t.Errorf("result: %+v", result)
	}
	if took := time.Since(begun); took > time.Second {
		t.Errorf("took %s", took)
	}
	eventually(t, "the server is told", func() bool { return len(server.seen("notifications/cancelled")) > 0 })
}

func TestRefreshDoesNotEndARunningCall(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]func(http.ResponseWriter, *http.Request, message){
		"no answer": hang,
		"half an answer": func(w http.ResponseWriter, r *http.Request, m message) {
			reply(w, m, "")
			w.(http.Flusher).Flush()
			hang(w, r, m)
		},
		"refusal": func(w http.ResponseWriter, _ *http.Request, _ message) { w.WriteHeader(http.StatusForbidden) },
		"cut":     func(http.ResponseWriter, *http.Request, message) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newScripted(t, "slow")
			setup := newSetup(Server{Name: "s", URL: server.URL})
			setup.RefreshInterval, setup.DialTimeout = 50*time.Millisecond, 100*time.Millisecond
			client := setup.start(t)
			eventuallyOffered(t, client, "s__slow")
			calling := make(chan bool)
			server.on(func(w http.ResponseWriter, r *http.Request, m message) bool {
				switch m.Method {
				case "tools/call":
					calling <- true
					time.Sleep(500 * time.Millisecond)
				case "tools/list":
					list(w, r, m)
					return true
				}
				return false
			})
			go func() { <-calling }()
			mustContain(t, mustCall(t, client, "s__slow", ""), "slow on")
			if sessions := len(server.seen("initialize")); sessions != 1 {
				t.Errorf("%d sessions, want 1", sessions)
			}
			mustContain(t, setup.log.String(), "does not list its tools", "running_calls=1")
			server.on(nil)
			server.offer([]string{"slow", "new"})
			eventuallyOffered(t, client, "s__new s__slow")
		})
	}
}

func TestRefreshFollowsTheTools(t *testing.T) {
	t.Parallel()
	server := newScripted(t, "old")
	setup := newSetup(Server{Name: "s", URL: server.URL})
	setup.RefreshInterval = 20 * time.Millisecond
	client := setup.start(t)
	eventuallyOffered(t, client, "s__old")
	server.onMethod("tools/list", func(w http.ResponseWriter, _ *http.Request, m message) { refuse(w, m, -32603, "out of order") })
	eventually(t, "the refusal is logged", setup.log.contains("out of order"))
	mustCall(t, client, "s__old", "")
	server.on(nil)
	server.offer([]string{"new"}, []string{"newer"})
	eventuallyOffered(t, client, "s__new s__newer")
	if _, known := client.Call(t.Context(), "s__old", nil); known {
		t.Error("a tool that is gone is still known")
	}
	if sessions := len(server.seen("initialize")); sessions != 1 {
		t.Errorf("%d sessions, want 1", sessions)
	}
	// A session that is gone is found by the refresh as well.
	server.on(func(w http.ResponseWriter, r *http.Request, m message) bool {
		lost := m.Method == "tools/list" && r.Header.Get("Mcp-Session-Id") == "session-1"
		if lost {
			w.WriteHeader(http.StatusNotFound)
		}
		return lost
	})
	eventually(t, "a second session", func() bool { return len(server.seen("initialize")) == 2 })
}

func TestNoticesAreFollowed(t *testing.T) {
	t.Parallel()
	server := newScripted(t, "old")
	texts := make(chan string)
	server.on(openStream(texts))
	client := connect(t, server, "s__old")
	server.offer([]string{"new"})
	texts <- strings.Repeat("event: message\r\ndata: "+changeNotice+"\r\n\r\n", 100)
	eventuallyOffered(t, client, "s__new")
	if listings := len(server.seen("tools/list")); listings > 4 {
		t.Errorf("%d listings for one burst", listings)
	}
	texts <- "data: {\"jsonrpc\":" // an event that is cut short
	server.offer([]string{"newer"})
	close(texts) // the stream ends at once from now on
	eventuallyOffered(t, client, "s__newer")
	eventually(t, "the stream is opened again and again", func() bool { return len(server.seen(http.MethodGet)) > 8 })
	mustCall(t, client, "s__newer", "")
	if sessions := len(server.seen("initialize")); sessions != 1 {
		t.Errorf("%d sessions, want 1", sessions)
	}
}

func TestOddAnswersToTheStreamRequest(t *testing.T) {
	t.Parallel()
	for _, status := range []int{0, 200, 202, 301, 400, 404, 405, 500} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			server := newScripted(t, "echo")
			server.on(func(w http.ResponseWriter, r *http.Request, m message) bool {
				switch {
				case r.Method != http.MethodGet:
					return false
				case status == 0:
					hang(w, r, m)
				default:
					w.Header().Set("Content-Type", "text/html")
					w.WriteHeader(status)
				}
				return true
			})
			begun := time.Now()
			client := connect(t, server, "s__echo")
			if took := time.Since(begun); took > 2*time.Second {
				t.Errorf("connecting took %s", took)
			}
			time.Sleep(100 * time.Millisecond)
			mustCall(t, client, "s__echo", "")
			if sessions := len(server.seen("initialize")); sessions != 1 {
				t.Errorf("%d sessions, want 1", sessions)
			}
		})
	}
}

func TestAttemptEndsAfterTheDialTimeout(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"initialize", "tools/list"} {
		server := newScripted(t, "echo")
		server.onMethod(method, hang)
		setup := newSetup(Server{Name: "s", URL: server.URL})
		setup.DialTimeout = 50 * time.Millisecond
		setup.start(t)
		begun := time.Now()
		eventually(t, "two failures", setup.log.contains("failures=2"))
		mustContain(t, setup.log.String(), "no answer within 50ms")
		if took := time.Since(begun); took > 2*time.Second {
			t.Errorf("%s: took %s", method, took)
		}
		if method == "tools/list" {
			eventually(t, "the session is ended", func() bool { return len(server.seen(http.MethodDelete)) > 0 })
		}
	}
}

func TestCloseEndsTheSessions(t *testing.T) {
	t.Parallel()
	one, two, hanging := newScripted(t, "echo"), newScripted(t, "echo"), newScripted(t)
	one.on(openStream(nil))
	hanging.onMethod("tools/list", hang)
	setup := newSetup(Server{Name: "one", URL: one.URL}, Server{Name: "two", URL: two.URL}, Server{Name: "hanging", URL: hanging.URL})
	client := setup.start(t)
	eventuallyOffered(t, client, "one__echo two__echo")
	eventually(t, "the tools are asked for", func() bool { return len(hanging.seen("tools/list")) == 1 })
	begun := time.Now()
	for range 2 {
		if err := client.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if took := time.Since(begun); took > time.Second {
		t.Errorf("Close took %s", took)
	}
	for _, server := range []*scripted{one, two, hanging} {
		if ends := server.seen(http.MethodDelete); len(ends) != 1 || ends[0].header.Get("Mcp-Session-Id") != "session-1" {
			t.Errorf("ended sessions: %v", ends)
		}
	}
	if names := offered(client); names != "" {
		t.Errorf("offered after the end: %s", names)
	}
}

// fullListener returns the address of a listener whose queue is full, so that dials of it hang.
func fullListener(t *testing.T) string {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err := errors.Join(syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), syscall.Listen(socket, 0)); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
	for range 100 {
		connection, err := net.DialTimeout("tcp", address, 200*time.Millisecond)
		if err != nil {
			return address
		}
		t.Cleanup(func() { _ = connection.Close() })
	}
	t.Skip("the queue of a listener does not get full here")
	return ""
}

// TestCloseIsBounded ends a client while a dial hangs, a server does not answer, and another does not end its session.
func TestCloseIsBounded(t *testing.T) {
	t.Parallel()
	stuck := newScripted(t, "echo")
	stuck.on(func(w http.ResponseWriter, r *http.Request, m message) bool {
		if r.Method == http.MethodDelete {
			hang(w, r, m)
		}
		return r.Method == http.MethodDelete
	})
	silent := newScripted(t)
	silent.onMethod("initialize", hang)
	setup := newSetup(Server{Name: "s", URL: stuck.URL}, Server{Name: "silent", URL: silent.URL}, Server{Name: "full", URL: "http://" + fullListener(t)})
	setup.DialTimeout = time.Hour
	client, err := New(setup.Config, setup.Options)
	if err != nil {
		t.Fatal(err)
	}
	client.Start()
	eventuallyOffered(t, client, "s__echo")
	time.Sleep(50 * time.Millisecond)
	begun := time.Now()
	if err := client.Close(); err == nil {
		t.Error("a session that did not end is not reported")
	}
	if took := time.Since(begun); took > shutdownGrace+time.Second {
		t.Errorf("Close took %s", took)
	}
	eventually(t, "the dial ends", func() bool { return !strings.Contains(stacks(), "newHTTPTransport") })
}

func TestServersOfTheOfficialSDK(t *testing.T) {
	t.Parallel()
	type greeting struct {
		Name string `json:"name"`
	}
	greet := func(_ context.Context, _ *sdk.CallToolRequest, arguments greeting) (*sdk.CallToolResult, any, error) {
		if arguments.Name == "" {
			return nil, nil, errors.New("nobody to greet")
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "Hello " + arguments.Name}}}, nil, nil
	}
	for name, options := range map[string]*sdk.StreamableHTTPOptions{
		"with sessions": nil, "stateless": {Stateless: true}, "with JSON answers": {JSONResponse: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := sdk.NewServer(&sdk.Implementation{Name: "official", Version: "1"}, nil)
			sdk.AddTool(server, &sdk.Tool{Name: "greet"}, greet)
			httpServer := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, options))
			t.Cleanup(func() {
				httpServer.CloseClientConnections()
				httpServer.Close()
			})
			client := newSetup(Server{Name: "official", URL: httpServer.URL}).start(t)
			eventuallyOffered(t, client, "official__greet")
			if text := mustCall(t, client, "official__greet", `{"name":"Ada"}`); text != "Hello Ada" {
				t.Errorf("text: %q", text)
			}
			mustContain(t, mustFail(t, client, "official__greet", `{"name":""}`), "nobody to greet")
			mustFail(t, client, "official__greet", `{"name":1}`)
			if name == "with sessions" {
				sdk.AddTool(server, &sdk.Tool{Name: "wave"}, greet)
				eventuallyOffered(t, client, "official__greet official__wave")
			}
		})
	}
}

func TestServerThatKnowsOnlyTheNewerProtocol(t *testing.T) {
	t.Parallel()
	server := newScripted(t, "echo")
	server.on(func(w http.ResponseWriter, _ *http.Request, m message) bool {
		switch m.Method {
		case "initialize":
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			refuse(w, m, -32601, "no initialize, no session")
		case "server/discover":
			reply(w, m, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
		default:
			return false
		}
		return true
	})
	client := connect(t, server, "s__echo")
	mustCall(t, client, "s__echo", "")
}
