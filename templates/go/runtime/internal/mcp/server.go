package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"adl.example/agent/internal/tool"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// protocolVersion is asked for first: servers widely support it, and it has sessions and change notifications. A
	// server that refuses it is asked again, for any version.
	protocolVersion = "2025-11-25"
	// settleTime is waited after a change notification, so that a burst of them causes one listing.
	settleTime = 200 * time.Millisecond
	// maxTools and maxListing (bytes) bound the list of one server's tools, which might never end.
	maxTools   = 5_000
	maxListing = 4 << 20
)

var (
	errStopping = errors.New("the agent is stopping")
	errEnded    = errors.New("the server ended the session")
)

// server keeps one server connected and its tools known.
//
// The tools of a server that is down stay in the catalogue: a call reconnects at once, so that the first call after a
// restart succeeds. They leave the catalogue when the server is given up.
type server struct {
	*target
	client    *Client
	logger    *slog.Logger
	redact    func(string) string
	transport func(*session) sdk.Transport
	dialing   chan struct{}   // is full while an attempt to connect is made
	over      context.Context // until no attempt will follow
	end       context.CancelCauseFunc

	mu      sync.Mutex
	session *session     // the latest one
	tools   []remoteTool // what it offered last
	faults  []string     // what was wrong with that
}

func newServer(client *Client, target *target) *server {
	s := &server{target: target, client: client, redact: target.redactor(), dialing: make(chan struct{}, 1)}
	s.logger = client.options.Logger.With("server", target.name, "address", target.address())
	s.over, s.end = context.WithCancelCause(context.Background())
	//adl:if remote
	s.transport = s.remoteTransport()
	//adl:end
	//adl:if stdio
	if s.url == nil {
		s.transport = s.commandTransport
	}
	//adl:end
	return s
}

// run connects, and connects again, until the client is closed or the server is given up.
func (s *server) run() {
	config, ctx := s.client.config, s.client.work
	pause, failures := config.RetryInterval, 0
	for ctx.Err() == nil && s.over.Err() == nil {
		begun := time.Now()
		session, err := s.connect(ctx)
		switch {
		case err == nil:
			<-session.lost.Done()
			pause, failures = config.RetryInterval, 0
			sleep(ctx, time.Until(begun.Add(config.RetryInterval))) // a server may drop every session
		case ctx.Err() != nil:
		case config.MaxRetries > 0 && failures == config.MaxRetries:
			s.logger.Error("MCP server given up", "error", err, "failures", failures+1)
			s.end(fmt.Errorf("given up after %d failed attempts: %w", failures+1, err))
		default:
			failures++
			s.logger.Warn("MCP server not reachable", "error", err, "failures", failures, "retry_in", pause.String())
			sleep(ctx, pause)
			pause = min(2*pause, config.RetryMaxInterval)
		}
	}
	s.end(errStopping)
	s.dialing <- struct{}{} // no attempt of a call may follow
	s.setTools(nil, nil)
}

func sleep(ctx context.Context, pause time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}

// current returns the session to use, nil while there is none.
func (s *server) current() *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil && s.session.lost.Err() == nil {
		return s.session
	}
	return nil
}

// connect returns the current session, or makes one attempt to begin a new one, within the dial timeout.
func (s *server) connect(ctx context.Context) (*session, error) {
	select {
	case s.dialing <- struct{}{}:
		defer func() { <-s.dialing }()
	case <-s.over.Done():
		return nil, context.Cause(s.over)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if session := s.current(); session != nil {
		return session, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.client.config.DialTimeout)
	defer cancel()
	defer context.AfterFunc(s.client.work, cancel)()
	session, err := s.open(ctx)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	tools, err := session.listTools(ctx)
	if err = s.explain(ctx, err); err != nil && len(tools) == 0 { // the beginning of a list is better than no tool
		s.client.running.Go(session.close)
		return nil, err
	}
	s.setTools(tools, err)
	s.mu.Lock()
	s.session = session
	s.mu.Unlock()
	s.client.connected.Store(true)
	s.logger.Info("MCP server connected")
	s.client.running.Go(func() { s.serve(session) })
	return session, nil
}

// serve keeps the tools of the connected server up to date, until the session is lost or the client is closed.
func (s *server) serve(session *session) {
	defer session.close()
	ctx := s.client.work
	refresh := time.NewTicker(s.client.config.RefreshInterval)
	defer refresh.Stop()
	for {
		select {
		case <-ctx.Done():
			session.lose(errStopping)
			return
		case <-session.lost.Done():
			s.logger.Warn("MCP session lost", "error", s.redact(context.Cause(session.lost).Error()))
			return
		case <-refresh.C:
		case <-session.changed:
			sleep(ctx, settleTime)
		}
		s.refresh(ctx, session)
	}
}

// refresh lists the tools again. A server that does not answer is lost, unless a call ran meanwhile: it may do one thing at a
// time.
func (s *server) refresh(ctx context.Context, session *session) {
	ctx, cancel := context.WithTimeout(ctx, s.client.config.DialTimeout)
	defer cancel()
	defer context.AfterFunc(session.lost, cancel)()
	calls := session.calls.Load()
	tools, err := session.listTools(ctx)
	switch calls = max(calls, session.calls.Load()); {
	case err == nil || len(tools) > 0:
		s.setTools(tools, s.explain(ctx, err))
	case isAnswer(err) || calls > 0:
		s.logger.Warn("MCP server does not list its tools", "error", s.explain(ctx, err), "running_calls", calls)
	default:
		session.lose(s.explain(ctx, err))
	}
}

// setTools offers the tools. The error says why the list is incomplete.
func (s *server) setTools(tools []*sdk.Tool, incomplete error) {
	next, faults := readTools(tools)
	if incomplete != nil {
		faults = append(faults, fmt.Sprintf("the list is incomplete: %s", incomplete))
	}
	s.mu.Lock()
	sameTools, sameFaults := reflect.DeepEqual(s.tools, next), slices.Equal(s.faults, faults)
	s.tools, s.faults = next, faults
	s.mu.Unlock()
	if !sameFaults {
		for _, fault := range faults {
			s.logger.Warn("MCP tools left out", "error", fault)
		}
	}
	if !sameTools {
		s.logger.Info("MCP tools changed", "tools", len(next))
	}
}

// explain returns the error for the log and the model: without secrets, and with the limit that was exceeded.
func (s *server) explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("no answer within %s", s.client.config.DialTimeout)
	default:
		return errors.New(s.redact(err.Error()))
	}
}

// call calls a tool within the call timeout. A call that the server did not accept because the session is lost is repeated
// once in a new session. Any other failed call is not: it may have arrived, and tools have effects.
func (s *server) call(ctx context.Context, name string, arguments json.RawMessage) tool.Result {
	object := map[string]json.RawMessage{}
	if len(arguments) > 0 && json.Unmarshal(arguments, &object) != nil {
		return failed("the arguments must be a JSON object")
	}
	if object == nil { // null
		object = map[string]json.RawMessage{}
	}
	timeout := s.client.config.CallTimeout
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var result *sdk.CallToolResult
	err := sdk.ErrSessionMissing
	for attempt := 1; attempt <= 2 && errors.Is(err, sdk.ErrSessionMissing); attempt++ {
		session := s.current()
		if session == nil {
			if session, err = s.connect(limited); err != nil {
				err = fmt.Errorf("is not connected: %w", err)
				break
			}
		}
		result, err = session.callTool(limited, name, object)
	}
	switch {
	case err == nil:
		return tool.Result{Text: renderResult(result), IsError: result.IsError}
	case ctx.Err() != nil:
		return failed("the call of %q was canceled", name)
	case limited.Err() != nil:
		return failed("MCP server %q did not answer the call of %q within %s", s.name, name, timeout)
	default:
		return failed("MCP server %q, tool %q: %s", s.name, name, s.redact(err.Error()))
	}
}

func failed(format string, arguments ...any) tool.Result {
	return tool.Result{Text: fmt.Sprintf(format, arguments...), IsError: true}
}

// session is one MCP session with a server. Once lost it is never used again.
type session struct {
	peer    *sdk.ClientSession
	changed chan struct{}   // the tools may have changed, or the server may be gone: list the tools
	lost    context.Context // until the session is lost
	lose    context.CancelCauseFunc
	calls   atomic.Int32 // running ones
}

// open connects to the server and agrees on a protocol version.
func (s *server) open(ctx context.Context) (*session, error) {
	session := &session{changed: make(chan struct{}, 1)}
	session.lost, session.lose = context.WithCancelCause(context.Background())
	options := s.client.options
	client := sdk.NewClient(&sdk.Implementation{Name: options.Name, Version: options.Version}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{}, // the default would announce roots
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { session.noteChange() },
	})
	peer, err := client.Connect(ctx, s.transport(session), &sdk.ClientSessionOptions{ProtocolVersion: protocolVersion})
	if isAnswer(err) {
		peer, err = client.Connect(ctx, s.transport(session), nil)
	}
	if err != nil {
		return nil, err
	}
	session.peer = peer
	s.client.running.Go(func() {
		session.lose(cmp.Or(peer.Wait(), errEnded))
	})
	return session, nil
}

// listTools reads the server's tools; a server without tools has none. With an error, the tools are those before it.
func (s *session) listTools(ctx context.Context) (tools []*sdk.Tool, err error) {
	seen, size := map[string]bool{}, 0
	for next, err := range s.peer.Tools(ctx, nil) {
		var answer *jsonrpc.Error
		switch {
		case errors.As(err, &answer) && answer.Code == jsonrpc.CodeMethodNotFound:
			return nil, nil
		case err != nil:
			return tools, err
		case seen[next.Name]: // pages may repeat for ever
			return tools, fmt.Errorf("the tool %q is repeated", cleanText(next.Name, maxName))
		case len(tools) == maxTools:
			return tools, fmt.Errorf("it has more than %d tools", maxTools)
		}
		seen[next.Name] = true
		tools = append(tools, next)
		if size += len(encode(next)); size > maxListing {
			return tools, fmt.Errorf("it has more than %d bytes", maxListing)
		}
	}
	return tools, nil
}

// callTool calls a tool. When it fails, the tools are listed to see whether the server is still there.
func (s *session) callTool(ctx context.Context, name string, arguments any) (*sdk.CallToolResult, error) {
	s.calls.Add(1)
	defer s.calls.Add(-1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.lost, cancel)()
	result, err := s.peer.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: arguments})
	switch {
	case errors.Is(err, sdk.ErrSessionMissing):
		s.lose(err)
	case s.lost.Err() != nil && err != nil:
		err = context.Cause(s.lost)
	case err != nil && !isAnswer(err):
		s.noteChange()
	}
	return result, err
}

// noteChange asks for a listing of the tools.
func (s *session) noteChange() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *session) close() {
	_ = s.peer.Close() // best effort: the server may be gone
}
