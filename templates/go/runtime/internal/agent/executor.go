// Package agent answers A2A messages.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"runtime/debug"
	//adl:if history
	"slices"
	//adl:end
	"strings"
	"sync/atomic"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// flushInterval is how often streamed text is reported. Every event makes the library copy the whole task, so an event
// for every piece of text would make long answers quadratically slow.
const flushInterval = 100 * time.Millisecond

// errStopping ends the tasks that still run when the time for a graceful stop is over.
var errStopping = Failure("the agent is shutting down")

// Responder answers messages. Its methods are called from many goroutines.
type Responder interface {
	// Respond answers one message through reply. It should return soon after ctx has ended; what it does later is
	// ignored. The user reads the text of an error only if it is a Failure.
	Respond(ctx context.Context, request Request, reply *Reply) error
}

// Request is a message to the agent.
type Request struct {
	TaskID    a2a.TaskID
	ContextID string // the same for all messages of a conversation
	// Caller is the authenticated user, empty while there is no authentication.
	Caller string
	// Continues reports whether the message answers the question of an earlier reply for the same task.
	Continues bool
	Message   *a2a.Message
}

// Text returns the message as text: data as JSON, and files only by name.
func (r Request) Text() string {
	var lines []string
	for _, part := range r.Message.Parts {
		file := strings.TrimRight("attached file "+part.Filename, " ")
		if part.MediaType != "" {
			file += " (" + part.MediaType + ")"
		}
		switch content := part.Content.(type) {
		case a2a.Text:
			lines = append(lines, string(content))
		case a2a.Data:
			if encoded, err := json.Marshal(content.Value); err == nil {
				lines = append(lines, string(encoded))
			}
		case a2a.URL:
			lines = append(lines, fmt.Sprintf("[%s: %s]", file, content))
		case a2a.Raw:
			lines = append(lines, fmt.Sprintf("[%s: %d bytes]", file, len(content)))
		}
	}
	return strings.Join(lines, "\n")
}

// Reply is the answer to one message. As an io.Writer it streams text to the user.
type Reply struct {
	ctx              context.Context
	content          chan<- []*a2a.Part
	question, remark string
}

// Write streams text to the user.
func (r *Reply) Write(text []byte) (int, error) {
	return len(text), r.send(a2a.NewTextPart(string(text)))
}

// Attach sends files or data, together an artifact of their own.
func (r *Reply) Attach(parts ...*a2a.Part) error { return r.send(parts...) }

// Ask makes the task wait for the user's answer to a question once Respond has returned.
func (r *Reply) Ask(question string) { r.question = question }

func (r *Reply) send(parts ...*a2a.Part) error {
	select {
	case r.content <- parts:
		return nil
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
}

// Failure is an error whose text the user may read.
type Failure string

func (f Failure) Error() string { return string(f) }

// Public returns the text for the user.
func (f Failure) Public() string { return string(f) }

// Executor lets a Responder answer and reports its progress as A2A events. It implements a2asrv.AgentExecutor.
type Executor struct {
	responder Responder
	logger    *slog.Logger
	//adl:if history
	// RecordStates keeps every state of a task in its metadata.
	RecordStates bool
	//adl:end

	running  atomic.Int64
	stopping context.Context
	stop     context.CancelCauseFunc
}

// NewExecutor returns an Executor.
func NewExecutor(responder Responder, logger *slog.Logger) *Executor {
	stopping, stop := context.WithCancelCause(context.Background())
	return &Executor{responder: responder, logger: logger, stopping: stopping, stop: stop}
}

// Execute implements a2asrv.AgentExecutor.
func (e *Executor) Execute(ctx context.Context, execution *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		e.running.Add(1)
		defer e.running.Add(-1)
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(e.stopping, func() { cancel(errStopping) })()
		(&report{Executor: e, execution: execution, yield: yield}).run(ctx)
	}
}

// Cancel implements a2asrv.AgentExecutor. A running execution of the task ends once the event is stored.
func (e *Executor) Cancel(_ context.Context, execution *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		//adl:if model
		if responder, ok := e.responder.(interface{ Forget(task a2a.TaskID) }); ok {
			responder.Forget(execution.TaskID)
		}
		//adl:end
		(&report{Executor: e, execution: execution, yield: yield}).status(a2a.TaskStateCanceled, "")
	}
}

// Drain waits until no task runs. When ctx ends first, the running tasks fail.
func (e *Executor) Drain(ctx context.Context) {
	defer e.stop(errStopping)
	for e.running.Load() > 0 && ctx.Err() == nil {
		time.Sleep(5 * time.Millisecond)
	}
}

// report is the sequence of events of one execution.
type report struct {
	*Executor
	execution *a2asrv.ExecutorContext
	yield     func(a2a.Event, error) bool
	closed    bool // events are not received any more

	text     strings.Builder // not reported yet
	artifact a2a.ArtifactID  // of the text

	//adl:if history
	states []any
	//adl:end
}

// run reports the task, its progress and its end. The Responder works on a goroutine of its own: text is reported in time,
// and a Responder that ignores the end of ctx does not delay the shutdown.
func (r *report) run(ctx context.Context) {
	if r.execution.StoredTask == nil {
		task := a2a.NewSubmittedTask(r.execution, r.execution.Message)
		now := time.Now()
		task.Status.Timestamp = &now
		//adl:if history
		r.record(task, task.Status)
		//adl:end
		r.emit(task)
	}
	r.status(a2a.TaskStateWorking, "")

	content := make(chan []*a2a.Part)
	reply := &Reply{ctx: ctx, content: content}
	finished := make(chan error, 1)
	go func() { finished <- r.respond(ctx, reply) }()
	ticker := time.NewTicker(flushInterval)
	defer ticker.Stop()
	for !r.closed {
		select {
		case parts := <-content:
			if text, ok := parts[0].Content.(a2a.Text); ok && len(parts) == 1 {
				r.text.WriteString(string(text))
				continue
			}
			r.flush(false)
			r.emit(a2a.NewArtifactEvent(r.execution, parts...))
		case <-ticker.C:
			r.flush(false)
		case err := <-finished:
			r.finish(reply, err)
			return
		case <-ctx.Done():
			// The last event of a canceled task comes from Cancel; only the end of the agent is reported here.
			if err := context.Cause(ctx); errors.Is(err, errStopping) {
				r.finish(reply, err)
			}
			return
		}
	}
}

func (r *report) respond(ctx context.Context, reply *Reply) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.logger.Error("panic while answering", "task", r.execution.TaskID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errors.New("panic")
		}
	}()
	request := Request{
		TaskID:    r.execution.TaskID,
		ContextID: r.execution.ContextID,
		Continues: r.execution.StoredTask != nil,
		Message:   r.execution.Message,
	}
	if r.execution.User != nil {
		request.Caller = r.execution.User.Name
	}
	return r.responder.Respond(ctx, request, reply)
}

func (r *report) finish(reply *Reply, err error) {
	r.flush(true)
	switch {
	case err != nil:
		r.logger.Warn("task failed", "task", r.execution.TaskID, "error", err.Error())
		r.status(a2a.TaskStateFailed, publicText(err))
	case reply.question != "":
		r.status(a2a.TaskStateInputRequired, reply.question)
	default:
		r.status(a2a.TaskStateCompleted, reply.remark)
	}
}

// publicText returns what the user may read about an error.
func publicText(err error) string {
	var public interface{ Public() string }
	if errors.As(err, &public) {
		return public.Public()
	}
	return "the agent failed unexpectedly"
}

// flush reports the text that has arrived. The last update is marked as such; it may have an empty text, as an update
// without parts is not allowed.
func (r *report) flush(last bool) {
	if r.text.Len() == 0 && (!last || r.artifact == "") {
		return
	}
	part := a2a.NewTextPart(r.text.String())
	event := a2a.NewArtifactEvent(r.execution, part)
	if r.artifact != "" {
		event = a2a.NewArtifactUpdateEvent(r.execution, r.artifact, part)
	}
	event.LastChunk = last
	r.artifact = event.Artifact.ID
	r.text.Reset()
	r.emit(event)
}

// status reports a new state of the task, with a message if there is text.
func (r *report) status(state a2a.TaskState, text string) {
	var message *a2a.Message
	if text != "" {
		message = a2a.NewMessageForTask(a2a.MessageRoleAgent, r.execution, a2a.NewTextPart(text))
	}
	event := a2a.NewStatusUpdateEvent(r.execution, state, message)
	//adl:if history
	r.record(event, event.Status)
	//adl:end
	r.emit(event)
}

func (r *report) emit(event a2a.Event) {
	if !r.closed {
		r.closed = !r.yield(event, nil)
	}
}

//adl:if history

// statesKey is the key of a task's metadata for its states, oldest first.
const statesKey = "stateTransitions"

// record adds a state to those in the metadata of the event.
func (r *report) record(event a2a.Event, status a2a.TaskStatus) {
	if r.RecordStates {
		if r.states == nil && r.execution.StoredTask != nil {
			stored, _ := r.execution.StoredTask.Metadata[statesKey].([]any)
			r.states = slices.Clone(stored)
		}
		timestamp := status.Timestamp.UTC().Format(time.RFC3339Nano)
		r.states = append(r.states, map[string]any{"state": string(status.State), "timestamp": timestamp})
		event.SetMeta(statesKey, r.states)
	}
}

//adl:end
