package server

import (
	"context"
	"encoding/json"
	"errors"
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

// This file works around faults of a2a-go v2.4.0. Each part can go when the library does what its comment asks for.

// corrections makes the library answer as the protocol asks. It implements a2asrv.CallInterceptor.
type corrections struct {
	store  *Store
	logger *slog.Logger
}

var (
	errEnded   = a2a.NewError(a2a.ErrUnsupportedOperation, "the task has ended")
	errWorking = a2a.NewError(a2a.ErrUnsupportedOperation, "the task is still working")
)

// Before implements a2asrv.CallInterceptor.
func (c corrections) Before(ctx context.Context, _ *a2asrv.CallContext, request *a2asrv.Request) (context.Context, any, error) {
	switch request := request.Payload.(type) {
	case *a2a.SendMessageRequest:
		//adl:if push
		if request.Config != nil && request.Config.PushConfig != nil {
			if err := checkWebhook(request.Config.PushConfig); err != nil {
				return ctx, nil, err
			}
		}
		//adl:end
		return ctx, nil, c.checkMessage(ctx, request.Message)
	case *a2a.SubscribeToTaskRequest:
		// The library finds only tasks that run, those of other callers included.
		stored, err := c.store.Get(ctx, request.ID)
		switch {
		case err != nil:
			return ctx, nil, err
		case stored.Task.Status.State.Terminal():
			return ctx, nil, errEnded
		case isWaiting(stored.Task.Status.State):
			return ctx, stored.Task, nil
		}
		//adl:if push
	case *a2a.PushConfig:
		return ctx, nil, checkWebhook(request)
		//adl:end
	}
	return ctx, nil, nil
}

// checkMessage refuses a message to a task that takes none. The library reports invalid parameters if the task has ended,
// and an internal error if it is working.
func (c corrections) checkMessage(ctx context.Context, message *a2a.Message) error {
	stored, err := c.store.Get(ctx, message.TaskID)
	switch {
	case err != nil || message.ContextID != "" && message.ContextID != stored.Task.ContextID: // the library refuses it
		return nil
	case stored.Task.Status.State.Terminal():
		return errEnded
	case !isWaiting(stored.Task.Status.State):
		return errWorking
	default:
		return nil
	}
}

// After implements a2asrv.CallInterceptor. It keeps the library's internal chain of errors ("executor setup failed: ...")
// from clients.
func (c corrections) After(_ context.Context, call *a2asrv.CallContext, response *a2asrv.Response) error {
	short := shortError(response.Err)
	if short == a2a.ErrInternalError {
		c.logger.Error("request failed", "method", call.Method(), "error", response.Err.Error())
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
	// What wraps ErrInvalidParams names the parameter.
	for next := errors.Unwrap(err); next != nil && next != a2a.ErrInvalidParams; next = errors.Unwrap(next) {
		err = next
	}
	return err
}

// canceler repeats a cancellation that is lost. Right after a question, the execution that asked it is about to end and
// takes the cancellation with it: the library reports that the task cannot be canceled, and the task keeps waiting.
type canceler struct {
	a2asrv.RequestHandler
	store *Store
}

// CancelTask implements a2asrv.RequestHandler.
func (c canceler) CancelTask(ctx context.Context, request *a2a.CancelTaskRequest) (*a2a.Task, error) {
	const attempts, pause = 200, 5 * time.Millisecond
	for attempt := 1; ; attempt++ {
		task, err := c.RequestHandler.CancelTask(ctx, request)
		stored, missing := c.store.Get(ctx, request.ID)
		if err == nil || attempt == attempts || missing != nil || !isWaiting(stored.Task.Status.State) {
			return task, err
		}
		time.Sleep(pause)
	}
}

// inOrder returns the history of a task with the question that it waits with at its end. The library adds the question
// only when the task continues, after the answer.
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

// envelope is the outer object of a request.
type envelope struct {
	JSONRPC string
	ID      json.RawMessage
	Method  string
	Params  json.RawMessage
}

// withParams matches the methods that cannot do without parameters.
var withParams = regexp.MustCompile(`^(message|tasks)/|^(Send|GetTask|ListTask|Cancel|Subscribe|Create|Delete)`)

// invalidParams describes a fault in the parameters of a request that the library does not report: it panics if a message or
// a part is null, and accepts missing parameters.
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
		return "" // the library reports an invalid type
	case params.Message == nil && strings.Contains(strings.ToLower(e.Method), "message"):
		return "message is required"
	case params.Message != nil && slices.ContainsFunc(params.Message.Parts, func(part json.RawMessage) bool { return string(part) == "null" }):
		return "a part must not be null"
	}
	return ""
}

//adl:if v03

// legacyCard returns the card as JSON for clients of both protocols, from that of the current one.
func (s *Server) legacyCard(card *a2a.AgentCard, current []byte) ([]byte, error) {
	legacy, err := a2av0.NewStaticAgentCardProducer(card).(a2asrv.AgentCardJSONProducer).CardJSON(context.Background())
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := errors.Join(json.Unmarshal(current, &document), json.Unmarshal(legacy, &document)); err != nil {
		return nil, err
	}
	document["protocolVersion"] = s.CardVersion
	//adl:if history
	if capabilities, ok := document["capabilities"].(map[string]any); ok { // not part of 1.0, nor of the library
		capabilities["stateTransitionHistory"] = s.Capabilities.StateTransitionHistory
	}
	//adl:end
	//adl:if security
	// The library leaves out how 1.0 writes security schemes.
	var members map[string]any
	if err := json.Unmarshal(current, &members); err != nil {
		return nil, err
	}
	addMembers(document, members)
	//adl:end
	return json.Marshal(document)
}

//adl:if security

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
//adl:end
