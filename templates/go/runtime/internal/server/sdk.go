package server

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	//adl:if v03
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	//adl:end
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// This file works around faults of a2a-go v2.4.0. Each comment says what is wrong, and so when the code can go.

// handler is the library's request handler with answers that follow the protocol.
type handler struct {
	a2asrv.RequestHandler
	store *Store
}

var (
	errEnded   = a2a.NewError(a2a.ErrUnsupportedOperation, "the task has ended")
	errWorking = a2a.NewError(a2a.ErrUnsupportedOperation, "the task is still working")
)

// SendMessage implements a2asrv.RequestHandler.
func (h handler) SendMessage(ctx context.Context, request *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	if err := h.check(request); err != nil {
		return nil, err
	}
	ctx = withHeldTask(ctx)
	result, err := h.RequestHandler.SendMessage(ctx, request)
	return result, h.explain(ctx, request, err)
}

// SendStreamingMessage implements a2asrv.RequestHandler.
func (h handler) SendStreamingMessage(ctx context.Context, request *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		if err := h.check(request); err != nil {
			yield(nil, err)
			return
		}
		for event, err := range h.RequestHandler.SendStreamingMessage(ctx, request) {
			if !yield(event, h.explain(ctx, request, err)) {
				return
			}
		}
	}
}

// check refuses what the library panics on or logs with its secrets.
func (h handler) check(request *a2a.SendMessageRequest) error {
	if request.Message == nil {
		return a2a.NewError(a2a.ErrInvalidParams, "message is required")
	}
	//adl:if push
	if request.Config != nil && request.Config.PushConfig != nil {
		return checkWebhook(request.Config.PushConfig)
	}
	//adl:end
	return nil
}

// explain returns the error of a message to a task that takes none. The library calls the parameters invalid if the task
// has ended, and itself broken if the task is working.
func (h handler) explain(ctx context.Context, request *a2a.SendMessageRequest, err error) error {
	if !errors.Is(err, a2a.ErrInvalidParams) && !errors.Is(err, a2a.ErrInternalError) {
		return err
	}
	stored, missing := h.store.Get(ctx, request.Message.TaskID)
	switch {
	case missing != nil || request.Message.ContextID != "" && request.Message.ContextID != stored.Task.ContextID:
		return err
	case stored.Task.Status.State.Terminal():
		return errEnded
	case stored.Task.Status.State != a2a.TaskStateInputRequired:
		return errWorking
	default:
		return err
	}
}

// SubscribeToTask implements a2asrv.RequestHandler. The library knows no task that waits for its user, and one that has
// ended neither; a subscriber is shown the first, and told of the second.
func (h handler) SubscribeToTask(ctx context.Context, request *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		stored, err := h.store.Get(ctx, request.ID)
		if err != nil { // also keeps the running tasks of other callers from the subscriber
			yield(nil, err)
			return
		}
		for event, err := range h.RequestHandler.SubscribeToTask(ctx, request) {
			if errors.Is(err, a2a.ErrTaskNotFound) {
				if event, err = stored.Task, nil; stored.Task.Status.State.Terminal() {
					event, err = nil, errEnded
				}
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

// CancelTask implements a2asrv.RequestHandler. Right after a question, the execution that asked it is about to end and
// takes a cancellation with it: the library reports that the task cannot be canceled, and it goes on waiting.
func (h handler) CancelTask(ctx context.Context, request *a2a.CancelTaskRequest) (*a2a.Task, error) {
	const attempts, pause = 200, 5 * time.Millisecond
	for attempt := 1; ; attempt++ {
		task, err := h.RequestHandler.CancelTask(ctx, request)
		stored, missing := h.store.Get(ctx, request.ID)
		if err == nil || attempt == attempts || missing != nil || stored.Task.Status.State != a2a.TaskStateInputRequired {
			return task, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

//adl:if push

// CreateTaskPushConfig implements a2asrv.RequestHandler.
func (h handler) CreateTaskPushConfig(ctx context.Context, config *a2a.PushConfig) (*a2a.PushConfig, error) {
	if err := checkWebhook(config); err != nil {
		return nil, err
	}
	return h.RequestHandler.CreateTaskPushConfig(ctx, config)
}

//adl:end

// inOrder returns the history of a task with the question that it waits with at its end. The library adds the question
// only when the task goes on, after the answer.
func inOrder(task *a2a.Task) []*a2a.Message {
	messages := slices.Clone(task.History)
	if task.Status.State == a2a.TaskStateInputRequired && task.Status.Message != nil {
		messages = append(messages, task.Status.Message)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(messages, func(message *a2a.Message) bool {
		repeated := seen[message.ID]
		seen[message.ID] = true
		return repeated
	})
}

// shortErrors keeps the library's internal chain of errors ("executor setup failed: ...") from clients.
type shortErrors struct {
	a2asrv.PassthroughCallInterceptor
	logger *slog.Logger
}

// After implements a2asrv.CallInterceptor.
func (s shortErrors) After(_ context.Context, call *a2asrv.CallContext, response *a2asrv.Response) error {
	short := shortError(response.Err)
	if short == a2a.ErrInternalError {
		s.logger.Error("request failed", "method", call.Method(), "error", response.Err.Error())
	}
	response.Err = short
	return nil
}

// shortError returns the innermost error that has the same code.
func shortError(err error) error {
	var worded *a2a.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &worded):
		return worded
	case a2a.ErrorReason(err) == a2a.ErrorReason(a2a.ErrInternalError):
		return a2a.ErrInternalError
	}
	// What wraps ErrInvalidParams says which parameter it is.
	for next := errors.Unwrap(err); next != nil && next != a2a.ErrInvalidParams; next = errors.Unwrap(next) {
		err = next
	}
	return err
}

// envelope is the outer object of a request.
type envelope struct {
	JSONRPC string
	ID      json.RawMessage
	Method  string
	Params  json.RawMessage
}

// withParams matches the methods that cannot do without parameters.
var withParams = regexp.MustCompile(`^(message|tasks)/|^(Send|GetTask|ListTask|Cancel|Subscribe|Create|Delete)`)

// invalidParams says what is wrong with the parameters of a request, if the library would not: it panics where it finds
// null for a message or a part, and does not call parameters invalid that are missing.
func (e envelope) invalidParams() string {
	var params *struct {
		Message *struct{ Parts []json.RawMessage }
	}
	switch err := json.Unmarshal(e.Params, &params); {
	case e.JSONRPC != "2.0" || !withParams.MatchString(e.Method):
		return ""
	case params == nil:
		return "params must be an object"
	case err != nil:
		return "" // of a wrong type, as the library will say
	case params.Message == nil && strings.Contains(strings.ToLower(e.Method), "message"):
		return "message is required"
	case params.Message != nil && slices.ContainsFunc(params.Message.Parts, func(part json.RawMessage) bool { return string(part) == "null" }):
		return "a part must not be null"
	}
	return ""
}

//adl:if v03

// addLegacyCard returns the card as JSON for clients of both protocols. The library writes such a card, but leaves out how
// 1.0 writes security schemes.
func (s *Server) addLegacyCard(card *a2a.AgentCard, current []byte) ([]byte, error) {
	legacy, err := a2av0.NewStaticAgentCardProducer(card).(a2asrv.AgentCardJSONProducer).CardJSON(context.Background())
	if err != nil {
		return nil, err
	}
	var document, members map[string]any
	if err := errors.Join(json.Unmarshal(legacy, &document), json.Unmarshal(current, &members)); err != nil {
		return nil, err
	}
	addMembers(document, members)
	document["protocolVersion"] = s.CardVersion
	//adl:if history
	if capabilities, ok := document["capabilities"].(map[string]any); ok { // not part of 1.0, nor of the library
		capabilities["stateTransitionHistory"] = s.Capabilities.StateTransitionHistory
	}
	//adl:end
	return json.Marshal(document)
}

// addMembers adds the members that an object does not have yet, at every level.
func addMembers(object, members map[string]any) {
	for name, member := range members {
		inner, ok := object[name].(map[string]any)
		if more, alike := member.(map[string]any); ok && alike {
			addMembers(inner, more)
		} else if object[name] == nil {
			object[name] = member
		}
	}
}

//adl:end
