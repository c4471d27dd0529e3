package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// greeter is an Executor that completes every task at once, unless it is asked to ask.
type greeter struct{}

func (greeter) Execute(_ context.Context, execution *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		if execution.StoredTask == nil && !yield(a2a.NewSubmittedTask(execution, execution.Message), nil) {
			return
		}
		if execution.Message.Parts[0].Text() == "ask" {
			question := a2a.NewMessageForTask(a2a.MessageRoleAgent, execution, a2a.NewTextPart("what?"))
			yield(a2a.NewStatusUpdateEvent(execution, a2a.TaskStateInputRequired, question), nil)
			return
		}
		_ = yield(a2a.NewArtifactEvent(execution, a2a.NewTextPart("hello")), nil) &&
			yield(a2a.NewStatusUpdateEvent(execution, a2a.TaskStateCompleted, nil), nil)
	}
}

func (greeter) Cancel(_ context.Context, execution *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(execution, a2a.TaskStateCanceled, nil), nil)
	}
}

func (greeter) Drain(context.Context) {}

var generous = Retention{MaxCompleted: 100, MaxFailed: 50, MaxBytes: 64 << 20, MaxWaitingBytes: 64 << 20}

type testServer struct {
	*Server
	address string
	log     *bytes.Buffer // complete after stop
	stop    func() error
}

// start serves the greeter on a free port.
func start(t testing.TB, changes ...func(*Server)) *testServer {
	t.Helper()
	return startWith(t, NewStore(generous), changes...)
}

func startWith(t testing.TB, store *Store, changes ...func(*Server)) *testServer {
	t.Helper()
	log := new(bytes.Buffer)
	config := Config{
		Host: "127.0.0.1", Scheme: "http", ShutdownTimeout: time.Second, ReadTimeout: time.Minute, MaxBodyBytes: 4 << 20, MuteHealth: true,
	}
	server, err := Listen(config, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	server.CardVersion = "0.3.0"
	for _, change := range changes {
		change(server)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, greeter{}, store, newCard()) }()
	var stopped atomic.Bool
	stop := func() error {
		if stopped.Swap(true) {
			return nil
		}
		cancel()
		return <-served
	}
	t.Cleanup(func() { _ = stop() })
	return &testServer{server, "http://" + server.listener.Addr().String(), log, stop}
}

func newCard() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: "greeter", Description: "Says hello.", Version: "1.0.0",
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"}, Skills: []a2a.AgentSkill{},
	}
}

// send sends a request and returns the status and the body of the response.
func (s *testServer) send(t testing.TB, method, path, version, body string) (status int, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	if version != "" {
		request.Header.Set(a2a.SvcParamVersion, version)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content)
}

func (s *testServer) call(t testing.TB, version, body string) string {
	t.Helper()
	_, text := s.send(t, http.MethodPost, "/a2a", version, body)
	return text
}

const (
	sendMessage = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":` +
		`{"messageId":"1","role":"ROLE_USER","parts":[{"text":"hi"}]}}}`
	legacyMessage = `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":` +
		`{"messageId":"1","role":"user","kind":"message","parts":[{"kind":"text","text":"hi"}]}}}`
)

func TestRoutes(t *testing.T) {
	t.Parallel()
	var ready atomic.Bool
	server := start(t, func(s *Server) { s.Ready = ready.Load })
	for _, route := range []struct {
		method, path string
		status       int
	}{
		{http.MethodGet, "/health", http.StatusOK},
		{http.MethodGet, "/ready", http.StatusServiceUnavailable},
		{http.MethodGet, "/.well-known/agent-card.json", http.StatusOK},
		{http.MethodGet, "/a2a", http.StatusMethodNotAllowed},
		{http.MethodPost, "/health", http.StatusMethodNotAllowed},
		{http.MethodGet, "/other", http.StatusNotFound},
		{http.MethodPost, "/", http.StatusOK},
		{http.MethodPost, "/a2a", http.StatusOK},
		{http.MethodPost, "/a2a/", http.StatusOK},
	} {
		if status, _ := server.send(t, route.method, route.path, "1.0", sendMessage); status != route.status {
			t.Errorf("%s %s: status %d, want %d", route.method, route.path, status, route.status)
		}
	}
	ready.Store(true)
	if status, _ := server.send(t, http.MethodGet, "/ready", "", ""); status != http.StatusOK {
		t.Errorf("ready: status %d", status)
	}
	_ = server.stop()
	if log := server.log.String(); strings.Contains(log, "path=/health status=200") || !strings.Contains(log, "path=/other status=404") {
		t.Errorf("logged %s", log)
	}
}

func TestAddressIsThatOfTheConfigurationOrOfTheMachine(t *testing.T) {
	t.Parallel()
	server := start(t)
	_, port, _ := net.SplitHostPort(server.listener.Addr().String())
	for base, want := range map[string]string{
		"":                                "http://localhost:" + port + "/a2a",
		"http://localhost:8080":           "http://localhost:8080/a2a",
		"http://localhost:8080/":          "http://localhost:8080/a2a",
		"https://example.com/agents/a2a":  "https://example.com/agents/a2a",
		"https://example.com/agents/a2a/": "https://example.com/agents/a2a",
		"https://example.com/my-a2a":      "https://example.com/my-a2a/a2a",
	} {
		configured := Server{config: Config{Scheme: "http", AgentURL: base}, listener: server.listener}
		if got := configured.url(); got != want {
			t.Errorf("%q: got %q, want %q", base, got, want)
		}
	}
}

func TestInvalidConfigurationIsRefused(t *testing.T) {
	t.Parallel()
	taken := start(t).listener.Addr().(*net.TCPAddr).Port
	for _, test := range []struct {
		variable string
		config   Config
	}{
		{"A2A_AGENT_URL", Config{AgentURL: "agent"}},
		{"A2A_AGENT_URL", Config{AgentURL: "ftp://agent.example.com"}},
		{"A2A_AGENT_URL", Config{AgentURL: "https://agent.example.com/?key=value"}},
		{"A2A_AGENT_URL", Config{AgentURL: "https://agent.example.com/?"}},
		{"A2A_AGENT_URL", Config{AgentURL: "https://agent.example.com/#x"}},
		{"A2A_AGENT_URL", Config{AgentURL: "https://user:password@agent.example.com"}},
		{"A2A_SERVER_PORT", Config{Port: 70000}},
		{"A2A_SERVER_PORT", Config{Host: "127.0.0.1", Port: taken}},
		{"A2A_SERVER_TLS_CERT_PATH", Config{TLSEnabled: true}},
	} {
		if _, err := Listen(test.config, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), test.variable) ||
			strings.Contains(err.Error(), "password") {
			t.Errorf("%+v: got %v, want an error that names %s", test.config, err, test.variable)
		}
	}
}

func TestHealthCheckAsksTheRunningAgent(t *testing.T) {
	t.Parallel()
	server := start(t)
	config := server.config
	config.Port = server.listener.Addr().(*net.TCPAddr).Port
	for _, host := range []string{"127.0.0.1", "", "0.0.0.0"} {
		config.Host = host
		if err := CheckHealth(config); err != nil {
			t.Errorf("host %q: %v", host, err)
		}
	}
	_ = server.stop()
	if err := CheckHealth(config); err == nil {
		t.Error("an agent that was stopped is healthy")
	}
}

func TestWebPagesCannotUseTheAgent(t *testing.T) {
	t.Parallel()
	server := start(t)
	for _, test := range []struct {
		contentType, origin string
		status              int
	}{
		{"application/json", "", http.StatusOK},
		{"application/json", server.address, http.StatusOK},
		{"application/json", "https://evil.example", http.StatusForbidden},
		{"application/json", "null", http.StatusForbidden},
		{"text/plain", "", http.StatusUnsupportedMediaType},
		{"", "", http.StatusUnsupportedMediaType},
	} {
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, server.address+"/a2a", strings.NewReader(sendMessage))
		request.Header.Set("Content-Type", test.contentType)
		request.Header.Set("Origin", test.origin)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != test.status {
			t.Errorf("%+v: status %d", test, response.StatusCode)
		}
	}
}

func TestStreamingCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	stream := strings.Replace(sendMessage, "SendMessage", "SendStreamingMessage", 1)
	if text := start(t).call(t, "1.0", stream); !strings.Contains(text, "-32004") {
		t.Errorf("switched off: got %s", text)
	}
	on := start(t, func(s *Server) { s.Capabilities.Streaming = true })
	if text := on.call(t, "1.0", stream); strings.Count(text, "data:") != 3 {
		t.Errorf("switched on: got %s", text)
	}
}

func TestEachVersionIsAnsweredInItsProtocol(t *testing.T) {
	t.Parallel()
	server := start(t)
	for _, test := range []struct{ version, body, want string }{
		{"", legacyMessage, `"completed"`},
		{"0.3", legacyMessage, `"completed"`},
		{"0.3.0", legacyMessage, `"completed"`},
		{"1.0", sendMessage, `"TASK_STATE_COMPLETED"`},
		{"", sendMessage, `"TASK_STATE_COMPLETED"`},
		{"1.0", legacyMessage, "-32601"},
		{"0.3", sendMessage, "-32601"},
		{"1.0.1", sendMessage, `"TASK_STATE_COMPLETED"`},
		{"1.7", sendMessage, "-32009"},
		{"10.0", sendMessage, "-32009"},
	} {
		if text := server.call(t, test.version, test.body); !strings.Contains(text, test.want) || !strings.Contains(text, `"id":1`) {
			t.Errorf("version %q: got %s, want %s", test.version, text, test.want)
		}
	}
}

func TestCardIsReadableForBothProtocols(t *testing.T) {
	t.Parallel()
	card := newCard()
	card.SecuritySchemes = a2a.NamedSecuritySchemes{
		"token": a2a.HTTPAuthSecurityScheme{Scheme: "Bearer", BearerFormat: "JWT"},
		"key":   a2a.APIKeySecurityScheme{Name: "X-Key", Location: a2a.APIKeySecuritySchemeLocationHeader},
	}
	card.SecurityRequirements = a2a.SecurityRequirementsOptions{{"token": {}}, {"key": {}}}
	server := start(t, func(s *Server) { s.Capabilities.StateTransitionHistory, s.Capabilities.Streaming = true, true })
	routes, err := server.routes(greeter{}, NewStore(generous), card)
	if err != nil {
		t.Fatal(err)
	}
	recorder := newRecorder(routes, http.MethodGet, a2asrv.WellKnownAgentCardPath)
	var current a2a.AgentCard
	if err := json.Unmarshal(recorder, &current); err != nil || !reflect.DeepEqual(current.SecuritySchemes, card.SecuritySchemes) ||
		!reflect.DeepEqual(current.SecurityRequirements, card.SecurityRequirements) || len(current.SupportedInterfaces) != 2 {
		t.Errorf("1.0 reads %+v, %v", current, err)
	}
	var legacy struct {
		ProtocolVersion, URL, PreferredTransport string
		Capabilities                             struct{ Streaming, StateTransitionHistory bool }
		Security                                 []map[string][]string
		SecuritySchemes                          map[string]struct{ Type, Scheme, In, Name string }
	}
	if err := json.Unmarshal(recorder, &legacy); err != nil {
		t.Fatal(err)
	}
	token, key := legacy.SecuritySchemes["token"], legacy.SecuritySchemes["key"]
	if token.Type != "http" || token.Scheme != "Bearer" || key.Type != "apiKey" || key.In != "header" || key.Name != "X-Key" ||
		legacy.ProtocolVersion != "0.3.0" || legacy.URL != server.url() || legacy.PreferredTransport != "JSONRPC" ||
		!legacy.Capabilities.StateTransitionHistory || !legacy.Capabilities.Streaming || len(legacy.Security) != 2 {
		t.Errorf("0.3 reads %+v in %s", legacy, recorder)
	}
}

func TestTooLargeRequestIsRefused(t *testing.T) {
	t.Parallel()
	server := start(t)
	body := strings.Replace(sendMessage, "hi", strings.Repeat("x", server.config.MaxBodyBytes), 1)
	status, text := server.send(t, http.MethodPost, "/a2a", "", body)
	if status != http.StatusRequestEntityTooLarge || !strings.Contains(text, strconv.Itoa(server.config.MaxBodyBytes)) {
		t.Errorf("status %d, %s", status, text)
	}
}

func TestServerStops(t *testing.T) {
	t.Parallel()
	server := start(t)
	if err := server.stop(); err != nil {
		t.Error(err)
	}
	if _, err := http.Get(server.address + "/health"); err == nil {
		t.Error("the port is still open")
	}
}
