package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptrace"
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
	// protocolVersion is asked for first. Every server of today knows it, and it has sessions and change notices. A
	// server that refuses it is asked again for what it does know.
	protocolVersion = "2025-11-25"
	// settleTime is waited after a change notice, so that a burst of notices causes one listing.
	settleTime = 200 * time.Millisecond
	// maxPages, maxTools and maxListing (bytes) bound the list of one server's tools, which might never end.
	maxPages   = 250
	maxTools   = 5_000
	maxListing = 4 << 20
)

var (
	errStopping = errors.New("the agent is stopping")
	errEnded    = errors.New("the server ended the session")
	errLost     = errors.New("the session was lost again")
)

// server keeps one server connected and its tools known.
//
// The tools of a server that went away stay in the catalogue: a call of one makes the server be dialled at once, so that
// the first call after a restart succeeds. They leave the catalogue when the server is given up.
type server struct {
	*target
	client    *Client
	logger    *slog.Logger
	redact    func(string) string
	transport func(*session) sdk.Transport
	kick      chan struct{} // a call waits for the connection

	mu        sync.Mutex
	session   *session      // nil while not connected
	failure   error         // why the last attempt failed
	attempted chan struct{} // closed at the end of the running or next attempt, and then made anew
	known     bool          // it has been connected
	ended     bool          // it was given up, or the client is closed
	tools     []remoteTool  // what it offered last
	faults    []string      // what was wrong with that
}

func newServer(client *Client, target *target) *server {
	s := &server{target: target, client: client, redact: target.redactor()}
	s.logger = client.options.Logger.With("server", target.name, "address", target.address())
	s.kick, s.attempted = make(chan struct{}, 1), make(chan struct{})
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
	due := time.Now() // when the next attempt is to be made, unless a call asks for one earlier
	for {
		kicked := false
		select {
		case <-ctx.Done():
		case <-s.kick:
			kicked = true
		case <-time.After(time.Until(due)):
		}
		if ctx.Err() != nil {
			s.end(errStopping)
			return
		}
		begun := time.Now()
		session, err := s.connect(ctx)
		switch {
		case err == nil:
			failures, pause = 0, config.RetryInterval
			s.serve(ctx, session)
			due = begun.Add(config.RetryInterval) // a server that drops every session is not to be hammered
		case ctx.Err() != nil || kicked:
			// An attempt that a call asked for neither counts as a retry nor shifts the next one.
		case config.MaxRetries > 0 && failures == config.MaxRetries:
			s.logger.Error("MCP server given up", "error", err, "failures", failures+1)
			s.end(fmt.Errorf("given up after %d failed attempts: %w", failures+1, err))
			return
		default:
			failures++
			s.logger.Warn("MCP server not reachable", "error", err, "failures", failures, "retry_in", pause.String())
			due = time.Now().Add(pause)
			pause = nextPause(pause, config.RetryMaxInterval)
		}
	}
}

// nextPause doubles the pause between attempts up to the longest one.
func nextPause(pause, longest time.Duration) time.Duration {
	if pause > longest/2 {
		return longest
	}
	return 2 * pause
}

// connect makes one attempt: a session and the tools, within the dial timeout.
func (s *server) connect(ctx context.Context) (*session, error) {
	select {
	case <-s.kick: // whoever waits now is served by this attempt
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, s.client.config.DialTimeout)
	defer cancel()
	session, err := s.open(ctx)
	if err == nil {
		tools, fault, failure := session.listTools(ctx)
		if failure == nil || len(tools) > 0 { // the beginning of a list is better than no tool at all
			s.setTools(tools, errors.Join(fault, s.explain(ctx, failure)))
		} else {
			s.client.running.Go(session.close)
			session, err = nil, failure
		}
	}
	err = s.explain(ctx, err)
	s.settle(session, err)
	if err == nil {
		s.logger.Info("MCP server connected", "tools", len(s.tools))
	}
	return session, err
}

// settle records the outcome of an attempt and wakes the calls that wait for it.
func (s *server) settle(session *session, failure error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session, s.failure = session, failure
	s.known = s.known || session != nil
	close(s.attempted)
	s.attempted = make(chan struct{})
}

// end records that no attempt will follow, and takes the tools out of the catalogue.
func (s *server) end(failure error) {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.settle(nil, failure)
	s.setTools(nil, nil)
}

// serve keeps the tools of the connected server up to date, until the session is lost or the client is closed.
func (s *server) serve(ctx context.Context, session *session) {
	defer s.client.running.Go(session.close)
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
			select {
			case <-ctx.Done():
			case <-time.After(settleTime):
			}
			select {
			case <-session.changed:
			default:
			}
		}
		s.refresh(ctx, session)
	}
}

// refresh lists the tools again. A server that does not answer is taken for lost, unless it is at work on a call: it may do
// one thing at a time.
func (s *server) refresh(ctx context.Context, session *session) {
	ctx, cancel := context.WithTimeout(ctx, s.client.config.DialTimeout)
	defer cancel()
	defer context.AfterFunc(session.lost, cancel)()
	tools, fault, err := session.listTools(ctx)
	if err == nil {
		s.setTools(tools, fault)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if isAnswer(err) || session.calls > 0 {
		s.logger.Warn("MCP server does not list its tools", "error", s.explain(ctx, err), "running_calls", session.calls)
		return
	}
	session.lose(s.explain(ctx, err))
}

// setTools puts the tools into the catalogue.
func (s *server) setTools(tools []*sdk.Tool, fault error) {
	next, faults := readTools(tools)
	if fault != nil {
		faults = append(faults, fmt.Sprintf("the list is incomplete: %s", fault))
	}
	s.mu.Lock()
	changed := !reflect.DeepEqual(s.tools, next)
	news := !slices.Equal(s.faults, faults)
	s.tools, s.faults = next, faults
	connected := s.session != nil
	s.mu.Unlock()
	if news {
		for _, fault := range faults {
			s.logger.Warn("MCP tools left out", "error", fault)
		}
	}
	if changed {
		s.client.refreshCatalogue()
	}
	if changed && connected {
		s.logger.Info("MCP tools changed", "tools", len(next))
	}
}

// explain puts an error into words for the log and the model: without secrets, and with the limit that was exceeded.
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

// call calls the tool within the call timeout. A call that did not reach the server, because the session was gone, is
// made once more on a new session; one that may have reached it is not, since tools have effects.
func (s *server) call(ctx context.Context, name string, arguments json.RawMessage) tool.Result {
	if arguments = bytes.TrimSpace(arguments); len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	if arguments[0] != '{' || !json.Valid(arguments) {
		return failed("the arguments must be a JSON object")
	}
	timeout := s.client.config.CallTimeout
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var err error
	problem := "is not connected"
	for again := true; ; again = false {
		session, failure := s.acquire(limited)
		if failure != nil {
			err = failure
			break
		}
		result, delivered, failure := session.callTool(limited, name, arguments)
		s.release(session)
		if failure == nil {
			return tool.Result{Text: renderResult(result), IsError: result.IsError}
		}
		if isAnswer(failure) {
			return failed("MCP server %q refused the call of %q: %s", s.name, name, s.redact(failure.Error()))
		}
		problem, err = "did not complete the call", failure
		if delivered || limited.Err() != nil {
			session.noteChange() // see whether the server is still there
			break
		}
		session.lose(failure)
		if !again {
			break
		}
	}
	switch {
	case ctx.Err() != nil:
		return failed("the call of %q was cancelled", name)
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return failed("MCP server %q did not answer the call of %q within %s", s.name, name, timeout)
	default:
		return failed("MCP server %q %s: %s", s.name, problem, s.redact(err.Error()))
	}
}

// acquire returns the session for one call. While there is none it asks for an attempt, waits for it, and returns its
// error.
func (s *server) acquire(ctx context.Context) (*session, error) {
	for waited := false; ; waited = true {
		s.mu.Lock()
		session, failure, attempted, ended := s.session, s.failure, s.attempted, s.ended
		usable := session != nil && session.lost.Err() == nil
		if usable {
			session.calls++
		}
		s.mu.Unlock()
		switch {
		case usable:
			return session, nil
		case ended, waited && failure != nil:
			return nil, failure
		case waited:
			return nil, errLost
		}
		select {
		case s.kick <- struct{}{}:
		default:
		}
		select {
		case <-attempted:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *server) release(session *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	session.calls--
}

func (s *server) isConnected() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session != nil && s.session.lost.Err() == nil
}

// session is one MCP session with a server. Once lost it is never used again.
type session struct {
	peer    *sdk.ClientSession
	changed chan struct{}   // the tools may have changed, or the server may be gone: list the tools
	lost    context.Context // until the session is of no more use
	lose    context.CancelCauseFunc
	cancel  context.CancelFunc
	calls   int  // running ones; guarded by the server's mutex
	traced  bool // whether it can be seen that a call was sent
}

// open connects to the server and agrees on a protocol version.
func (s *server) open(ctx context.Context) (*session, error) {
	session := &session{changed: make(chan struct{}, 1), traced: s.url != nil}
	session.lost, session.lose = context.WithCancelCause(context.Background())
	options := s.client.options
	client := sdk.NewClient(&sdk.Implementation{Name: options.Name, Version: options.Version}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{}, // the default would announce roots
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { session.noteChange() },
	})
	// Some transports live as long as the context they were connected with, so the end of ctx must not end it later.
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	session.cancel = cancel
	expired := context.AfterFunc(ctx, cancel)
	peer, err := client.Connect(life, s.transport(session), &sdk.ClientSessionOptions{ProtocolVersion: protocolVersion})
	if isAnswer(err) {
		peer, err = client.Connect(life, s.transport(session), nil)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	session.peer = peer
	if !expired() {
		s.client.running.Go(session.close)
		return nil, ctx.Err()
	}
	s.client.running.Go(func() {
		if err := peer.Wait(); err != nil {
			session.lose(err)
		}
		session.lose(errEnded)
	})
	return session, nil
}

// listTools reads all pages of the server's tools. A server without tools has none. The fault says why the list was left
// before its end; with an error, the tools are those that were read before it.
func (s *session) listTools(ctx context.Context) (tools []*sdk.Tool, fault, err error) {
	seen := map[string]bool{}
	size := 0
	parameters := &sdk.ListToolsParams{}
	for range maxPages {
		page, err := s.peer.ListTools(ctx, parameters)
		var answer *jsonrpc.Error
		if errors.As(err, &answer) && answer.Code == jsonrpc.CodeMethodNotFound {
			return nil, nil, nil
		}
		if err != nil {
			return tools, nil, err
		}
		if len(page.Tools) > 0 && seen[page.Tools[0].Name] {
			return tools, errors.New("a page repeats earlier tools"), nil
		}
		for _, one := range page.Tools {
			seen[one.Name] = true
			size += len(encode(one))
		}
		tools = append(tools, page.Tools...)
		switch {
		case len(tools) > maxTools:
			return tools[:maxTools], fmt.Errorf("it has more than %d tools", maxTools), nil
		case size > maxListing:
			return tools, fmt.Errorf("it has more than %d bytes", maxListing), nil
		case page.NextCursor == "":
			return tools, nil, nil
		}
		parameters = &sdk.ListToolsParams{Cursor: page.NextCursor}
	}
	return tools, fmt.Errorf("it has more than %d pages", maxPages), nil
}

// callTool calls a tool. With an error it tells whether the server may have got the call.
func (s *session) callTool(ctx context.Context, name string, arguments any) (result *sdk.CallToolResult, delivered bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.lost, cancel)()
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	result, err = s.peer.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: arguments})
	if errors.Is(err, context.Canceled) && s.lost.Err() != nil {
		err = context.Cause(s.lost)
	}
	delivered = (sent.Load() || !s.traced) && !errors.Is(err, sdk.ErrSessionMissing)
	return result, delivered, err
}

// noteChange asks for a listing of the tools.
func (s *session) noteChange() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *session) close() {
	_ = s.peer.Close() // nobody is left to be told
	s.cancel()
}

func failed(format string, arguments ...any) tool.Result {
	return tool.Result{Text: fmt.Sprintf(format, arguments...), IsError: true}
}
