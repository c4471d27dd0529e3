package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// storeOf returns a store with one task.
func storeOf(t *testing.T, state a2a.TaskState) *Store {
	t.Helper()
	store := NewStore(generous)
	if _, err := store.Create(t.Context(), &a2a.Task{ID: "task", Status: a2a.TaskStatus{State: state}}); err != nil {
		t.Fatal(err)
	}
	return store
}

func TestMessagesThatComeTooLateOrTooEarlyAreRefused(t *testing.T) {
	t.Parallel()
	for state, want := range map[a2a.TaskState]error{
		a2a.TaskStateCompleted: errEnded, a2a.TaskStateWorking: errWorking, a2a.TaskStateInputRequired: nil,
	} {
		message := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("hi"))
		message.TaskID = "task"
		request := &a2asrv.Request{Payload: &a2a.SendMessageRequest{Message: message}}
		if _, _, err := (corrections{store: storeOf(t, state)}).Before(t.Context(), nil, request); err != want {
			t.Errorf("%s: got %v", state, err)
		}
	}
}

func TestSubscriberIsToldHowTheTaskStands(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id    a2a.TaskID
		state a2a.TaskState
		want  string
	}{
		{"task", a2a.TaskStateInputRequired, "TASK_STATE_INPUT_REQUIRED <nil>"},
		{"task", a2a.TaskStateFailed, "none the task has ended"},
		{"task", a2a.TaskStateWorking, "none <nil>"},
		{"other", a2a.TaskStateWorking, "none task not found"},
	} {
		request := &a2asrv.Request{Payload: &a2a.SubscribeToTaskRequest{ID: test.id}}
		_, result, err := (corrections{store: storeOf(t, test.state)}).Before(t.Context(), nil, request)
		got := fmt.Sprint("none ", err)
		if task, ok := result.(*a2a.Task); ok {
			got = fmt.Sprint(task.Status.State, " ", err)
		}
		if got != test.want {
			t.Errorf("%+v: got %q", test, got)
		}
	}
}

// reluctant refuses to cancel a task a few times.
type reluctant struct {
	a2asrv.RequestHandler
	refusals int
}

func (r *reluctant) CancelTask(context.Context, *a2a.CancelTaskRequest) (*a2a.Task, error) {
	if r.refusals--; r.refusals >= 0 {
		return nil, a2a.ErrTaskNotCancelable
	}
	return &a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateCanceled}}, nil
}

func TestWaitingTaskIsCanceledInTheEnd(t *testing.T) {
	t.Parallel()
	request := &a2a.CancelTaskRequest{ID: "task"}
	waiting := canceler{&reluctant{refusals: 2}, storeOf(t, a2a.TaskStateInputRequired)}
	if task, err := waiting.CancelTask(t.Context(), request); err != nil || task.Status.State != a2a.TaskStateCanceled {
		t.Errorf("waiting: got %+v, %v", task, err)
	}
	ended := canceler{&reluctant{refusals: 1}, storeOf(t, a2a.TaskStateCompleted)}
	if _, err := ended.CancelTask(t.Context(), request); !errors.Is(err, a2a.ErrTaskNotCancelable) {
		t.Errorf("ended: got %v", err)
	}
}

func TestErrorsAreShort(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"task not found":                         fmt.Errorf("failed to get task: %w", a2a.ErrTaskNotFound),
		"internal error":                         fmt.Errorf("setup failed: %w", context.Canceled),
		"message ID is required: invalid params": fmt.Errorf("a: b: %w", fmt.Errorf("message ID is required: %w", a2a.ErrInvalidParams)),
		"the task has ended":                     fmt.Errorf("setup failed: %w", errEnded),
	} {
		if got := shortError(err); got.Error() != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// conversation begins a task and returns a message that continues it, in the 1.0 protocol.
func conversation(t *testing.T, server *testServer, text string) (answer, next string) {
	t.Helper()
	answer = server.call(t, "1.0", strings.Replace(sendMessage, "hi", text, 1))
	_, rest, _ := strings.Cut(answer, `"messageId"`)
	_, rest, _ = strings.Cut(rest, `"taskId":"`)
	id, _, found := strings.Cut(rest, `"`)
	if !found {
		t.Fatalf("got %s", answer)
	}
	return answer, strings.Replace(sendMessage, `"messageId":"1"`, `"messageId":"2","taskId":"`+id+`"`, 1)
}

func TestQuestionStandsBeforeItsAnswer(t *testing.T) {
	t.Parallel()
	server := start(t)
	first, next := conversation(t, server, "ask")
	if !strings.Contains(first, "TASK_STATE_INPUT_REQUIRED") {
		t.Fatalf("got %s", first)
	}
	second := server.call(t, "1.0", next)
	asked, question, answer := strings.Index(second, `"text":"ask"`), strings.Index(second, "what?"), strings.Index(second, `"text":"hi"`)
	if asked < 0 || asked > question || question > answer || strings.Count(second, "what?") != 1 {
		t.Errorf("got %s", second)
	}
}

func TestEndedTaskTakesNoMessageAndHasNoEvents(t *testing.T) {
	t.Parallel()
	server := start(t, func(s *Server) { s.Capabilities.Streaming = true })
	_, next := conversation(t, server, "ask")
	server.call(t, "1.0", next)
	_, rest, _ := strings.Cut(next, `"taskId":"`)
	id, _, _ := strings.Cut(rest, `"`)
	again := strings.Replace(next, `"messageId":"2"`, `"messageId":"3"`, 1)
	for _, body := range []string{
		again,
		strings.Replace(again, "SendMessage", "SendStreamingMessage", 1),
		`{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":"` + id + `"}}`,
	} {
		text := server.call(t, "1.0", body)
		if !strings.Contains(text, "-32004") || !strings.Contains(text, `"the task has ended"`) {
			t.Errorf("%s: got %s", body, text)
		}
	}
}
