package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds the wait for what must happen soon.
const patience = 30 * time.Second

// TestMain fails the run when a test leaves goroutines of this package or the SDK behind.
func TestMain(m *testing.M) {
	if os.Getenv(commandVariable) != "" {
		runCommand()
		return
	}
	status := m.Run()
	for deadline := time.Now().Add(patience); status == 0; time.Sleep(20 * time.Millisecond) {
		left := ""
		for _, stack := range strings.Split(stacks(), "\n\n") {
			isOurs := strings.Contains(stack, "internal/mcp.") || strings.Contains(stack, "go-sdk")
			if isOurs && !strings.Contains(stack, "TestMain") && !strings.Contains(stack, "ServerConn") {
				left += stack + "\n\n"
			}
		}
		if left == "" {
			break
		}
		if time.Now().After(deadline) {
			fmt.Fprintf(os.Stderr, "goroutines left behind:\n%s", left)
			status = 1
		}
	}
	os.Exit(status)
}

// stacks shows what all goroutines are doing.
func stacks() string {
	text := make([]byte, 1<<20)
	return string(text[:runtime.Stack(text, true)])
}

// message is a JSON-RPC message as the scripted server reads it.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Cursor    string          `json:"cursor"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"params"`
}

// received is one request that the scripted server got.
type received struct {
	http, method string // of HTTP and of JSON-RPC
	header       http.Header
	at           time.Time
}

// scripted is an MCP server that does what a test wants. It can be down and come back at its address.
type scripted struct {
	*httptest.Server

	mu        sync.Mutex
	down      bool
	requests  []received
	sessions  int
	pages     [][]string                                                       // names of tools
	intercept func(http.ResponseWriter, *http.Request, message) (handled bool) // before the usual answer
}

// newScripted starts a server with the tools.
func newScripted(t *testing.T, tools ...string) *scripted {
	t.Helper()
	s := &scripted{pages: [][]string{tools}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// setDown makes the server cut all connections, as one that was killed, or answer again.
func (s *scripted) setDown(down bool) {
	s.mu.Lock()
	s.down = down
	s.mu.Unlock()
	if down {
		s.CloseClientConnections()
	}
}

func (s *scripted) address() string { return s.Listener.Addr().String() }

// on sets what happens before the usual answer.
func (s *scripted) on(intercept func(http.ResponseWriter, *http.Request, message) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.intercept = intercept
}

// onMethod sets what happens instead of the usual answer to a JSON-RPC method.
func (s *scripted) onMethod(method string, answer func(http.ResponseWriter, *http.Request, message)) {
	s.on(func(w http.ResponseWriter, r *http.Request, m message) bool {
		if m.Method == method {
			answer(w, r, m)
		}
		return m.Method == method
	})
}

// offer sets the pages of tools.
func (s *scripted) offer(pages ...[]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages = pages
}

// seen returns the requests of a JSON-RPC method, or of an HTTP method other than POST.
func (s *scripted) seen(method string) []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	var matches []received
	for _, request := range s.requests {
		if request.method == method || request.http == method {
			matches = append(matches, request)
		}
	}
	return matches
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var m message
	_ = json.Unmarshal(body, &m)
	s.mu.Lock()
	s.requests = append(s.requests, received{r.Method, m.Method, r.Header.Clone(), time.Now()})
	down, intercept, pages := s.down, s.intercept, s.pages
	if m.Method == "initialize" {
		s.sessions++
	}
	session := fmt.Sprintf("session-%d", s.sessions)
	s.mu.Unlock()

	if down {
		panic(http.ErrAbortHandler) // cuts the connection
	}
	if intercept != nil && intercept(w, r, m) {
		return
	}
	switch {
	case r.Method == http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", session)
		reply(w, m, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},`+
			`"serverInfo":{"name":"scripted","version":"1"}}`)
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "tools/list":
		page := 0
		fmt.Sscanf(m.Params.Cursor, "page-%d", &page)
		var tools []string
		for _, name := range pages[page] {
			tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"Does %s.","inputSchema":{"type":"object"}}`, name, name))
		}
		next := ""
		if page+1 < len(pages) {
			next = fmt.Sprintf(`,"nextCursor":"page-%d"`, page+1)
		}
		reply(w, m, fmt.Sprintf(`{"tools":[%s]%s}`, strings.Join(tools, ","), next))
	case m.Method == "tools/call":
		text, _ := json.Marshal(fmt.Sprintf("%s on %s got %s", m.Params.Name, r.Host, m.Params.Arguments))
		reply(w, m, fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, text))
	default:
		refuse(w, m, -32601, "method not found")
	}
}

func reply(w http.ResponseWriter, m message, result string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func refuse(w http.ResponseWriter, m message, code int, text string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, m.ID, code, text)
}

// hang answers when the client goes away.
func hang(_ http.ResponseWriter, r *http.Request, _ message) { <-r.Context().Done() }

// logged collects a log as text.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) contains(text string) func() bool {
	return func() bool { return strings.Contains(l.String(), text) }
}

// setup is a client that is about to be made. It is fast: everything is tried at once and often.
type setup struct {
	Config
	Options
	log       logged
	variables map[string]string
}

func newSetup(servers ...Server) *setup {
	s := &setup{
		Config: Config{
			RefreshInterval:  time.Hour,
			DialTimeout:      patience,
			CallTimeout:      patience,
			RetryInterval:    10 * time.Millisecond,
			RetryMaxInterval: 40 * time.Millisecond,
			DirectTools:      40,
		},
		Options: Options{Servers: servers, Name: "test", Version: "1.0.0"},
	}
	for _, server := range servers {
		s.Config.Servers += server.URL + ","
	}
	s.Logger = slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.Lookup = func(name string) (string, bool) {
		value, set := s.variables[name]
		return value, set
	}
	return s
}

// start makes and starts the client, which is closed at the end of the test.
func (s *setup) start(t *testing.T) *Client {
	t.Helper()
	client, err := New(s.Config, s.Options)
	if err != nil {
		t.Fatal(err)
	}
	client.Start()
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return client
}

// connect starts a client of one server called s, and waits for its tools.
func connect(t *testing.T, server *scripted, tools string) *Client {
	t.Helper()
	client := newSetup(Server{Name: "s", URL: server.URL}).start(t)
	eventuallyOffered(t, client, tools)
	return client
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("did not happen: %s", what)
		}
	}
}

// offered returns the names of the tools that are offered, without the selectors.
func offered(client *Client) string {
	var names []string
	for _, tool := range client.Definitions() {
		if !strings.HasPrefix(tool.Name, "mcp_") {
			names = append(names, tool.Name)
		}
	}
	return strings.Join(names, " ")
}

func eventuallyOffered(t *testing.T, client *Client, names string) {
	t.Helper()
	for deadline := time.Now().Add(patience); offered(client) != names; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("offered: %q, want %q", offered(client), names)
		}
	}
}

// mustCall calls a tool that must be known and succeed.
func mustCall(t *testing.T, client *Client, name, arguments string) string {
	t.Helper()
	result, known := client.Call(t.Context(), name, json.RawMessage(arguments))
	if !known || result.IsError {
		t.Fatalf("%s: known: %v, result: %+v", name, known, result)
	}
	return result.Text
}

// mustFail calls a tool that must be known and fail, and returns why.
func mustFail(t *testing.T, client *Client, name, arguments string) string {
	t.Helper()
	result, known := client.Call(t.Context(), name, json.RawMessage(arguments))
	if !known || !result.IsError {
		t.Fatalf("%s: known: %v, result: %+v", name, known, result)
	}
	return result.Text
}

func mustContain(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in %q", part, text)
		}
	}
}

func mustNotContain(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%q must not be in %q", part, text)
		}
	}
}

// contract reads the vectors that all run-times and the generator share.
func contract[Case any](t *testing.T, name string) []Case {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../../../../contracts", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []Case }
	if err := json.Unmarshal(data, &file); err != nil || len(file.Cases) == 0 {
		t.Fatalf("%s: %d cases, %v", name, len(file.Cases), err)
	}
	return file.Cases
}
