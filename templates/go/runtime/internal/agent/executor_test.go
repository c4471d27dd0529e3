package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// responder is a Responder in one function.
type responder func(ctx context.Context, request Request, reply *Reply) error

func (r responder) Respond(ctx context.Context, request Request, reply *Reply) error {
	return r(ctx, request, reply)
}

func newTestExecutor(respond responder) *Executor {
	executor := NewExecutor(respond, slog.New(slog.DiscardHandler))
	executor.RecordStates = true
	return executor
}

func newExecution() *a2asrv.ExecutorContext {
	return &a2asrv.ExecutorContext{
		TaskID:    "task",
		ContextID: "context",
		Message:   a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("question")),
	}
}

// trace describes events in a line: states, artifact texts ("+" continues one, "." ends it) and status messages.
func trace(t *testing.T, events iter.Seq2[a2a.Event, error]) string {
	t.Helper()
	var words []string
	for event, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		switch event := event.(type) {
		case *a2a.Task:
			words = append(words, "task "+stateName(event.Status.State))
		case *a2a.TaskStatusUpdateEvent:
			word := stateName(event.Status.State)
			if event.Status.Message != nil {
				word += " (" + event.Status.Message.Parts[0].Text() + ")"
			}
			words = append(words, word)
		case *a2a.TaskArtifactUpdateEvent:
			word := "'" + event.Artifact.Parts[0].Text() + "'"
			if raw := event.Artifact.Parts[0].Raw(); raw != nil {
				word = fmt.Sprintf("file %s", raw)
			}
			if event.Append {
				word = "+" + word
			}
			if event.LastChunk {
				word += "."
			}
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

func stateName(state a2a.TaskState) string {
	return strings.ToLower(strings.TrimPrefix(string(state), "TASK_STATE_"))
}

func TestAnswerIsReported(t *testing.T) {
	t.Parallel()
	got := trace(t, newTestExecutor(func(_ context.Context, request Request, reply *Reply) error {
		_, err := fmt.Fprintf(reply, "you said %s", request.Text())
		reply.remark = "short"
		return err
	}).Execute(t.Context(), newExecution()))
	if want := "task submitted, working, 'you said question'., completed (short)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestFilesAreArtifactsOfTheirOwn(t *testing.T) {
	t.Parallel()
	got := trace(t, newTestExecutor(func(_ context.Context, _ Request, reply *Reply) error {
		_, _ = io.WriteString(reply, "see ")
		_ = reply.Attach(a2a.NewRawPart([]byte("abc")))
		_, err := io.WriteString(reply, "there")
		return err
	}).Execute(t.Context(), newExecution()))
	if want := "task submitted, working, 'see ', file abc, +'there'., completed"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Nothing that has arrived is held back: the text before a pause is there within the interval, also if it is the last.
func TestTextIsReportedWhileItArrives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pause := func() { time.Sleep(flushInterval * 3 / 2) }
		executor := newTestExecutor(func(_ context.Context, _ Request, reply *Reply) error {
			_, _ = io.WriteString(reply, "one ")
			_, _ = io.WriteString(reply, "two ")
			pause()
			_, _ = io.WriteString(reply, "three")
			pause()
			return nil
		})
		begun := time.Now()
		events := func(yield func(a2a.Event, error) bool) {
			for event, err := range executor.Execute(t.Context(), newExecution()) {
				artifact, ok := event.(*a2a.TaskArtifactUpdateEvent)
				if ok && artifact.Artifact.Parts[0].Text() == "three" && time.Since(begun) > flushInterval*5/2 {
					t.Errorf("the last text came after %v", time.Since(begun))
				}
				if !yield(event, err) {
					return
				}
			}
		}
		if got, want := trace(t, events), "task submitted, working, 'one two ', +'three', +''., completed"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestContinuedTaskIsNotAnnouncedAgain(t *testing.T) {
	t.Parallel()
	execution := newExecution()
	execution.StoredTask = &a2a.Task{ID: "task", ContextID: "context"}
	execution.User = a2asrv.NewAuthenticatedUser("ada", nil)
	got := trace(t, newTestExecutor(func(_ context.Context, request Request, reply *Reply) error {
		if !request.Continues || request.Caller != "ada" {
			return errors.New("the request is not marked")
		}
		reply.Ask("which one?")
		return nil
	}).Execute(t.Context(), execution))
	if want := "working, input_required (which one?)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestFailuresAreReported(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		want    string
		respond responder
	}{
		{"'half', failed (no model)", func(_ context.Context, _ Request, reply *Reply) error {
			_, _ = io.WriteString(reply, "half")
			return fmt.Errorf("the key is sk-123: %w", Failure("no model"))
		}},
		{"failed (the agent failed unexpectedly)", func(context.Context, Request, *Reply) error {
			return errors.New("the key is sk-123")
		}},
		{"failed (the agent failed unexpectedly)", func(context.Context, Request, *Reply) error {
			panic("sk-123")
		}},
	} {
		got := trace(t, newTestExecutor(test.respond).Execute(t.Context(), newExecution()))
		got = strings.Replace(got, "'half'.", "'half'", 1)
		if want := "task submitted, working, " + test.want; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestCancelledExecutionReportsNothingMore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	stuck := make(chan struct{})
	defer close(stuck)
	executor := newTestExecutor(func(_ context.Context, _ Request, reply *Reply) error {
		cancel()
		<-stuck // a responder that does not notice
		return nil
	})
	if got := trace(t, executor.Execute(ctx, newExecution())); got != "task submitted, working" {
		t.Errorf("got %s", got)
	}
}

func TestWritingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	executor := newTestExecutor(func(ctx context.Context, _ Request, reply *Reply) error {
		<-ctx.Done()
		_, err := io.WriteString(reply, "too late")
		failed <- err
		return err
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	trace(t, executor.Execute(ctx, newExecution()))
	if err := <-failed; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestCancelReportsTheState(t *testing.T) {
	t.Parallel()
	if got := trace(t, newTestExecutor(nil).Cancel(t.Context(), newExecution())); got != "canceled" {
		t.Errorf("got %s", got)
	}
}

func TestDrainWaitsForRunningTasksAndEndsThoseThatTakeTooLong(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		limit time.Duration
		want  string
	}{{time.Hour, "completed"}, {time.Second, "failed (the agent is shutting down)"}} {
		synctest.Test(t, func(t *testing.T) {
			executor := newTestExecutor(func(ctx context.Context, _ Request, _ *Reply) error {
				select {
				case <-ctx.Done():
					return context.Cause(ctx)
				case <-time.After(time.Minute):
					return nil
				}
			})
			traced := make(chan string, 1)
			go func() { traced <- trace(t, executor.Execute(t.Context(), newExecution())) }()
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), test.limit)
			defer cancel()
			executor.Drain(ctx)
			if got := <-traced; !strings.HasSuffix(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestStatesAreRecorded(t *testing.T) {
	t.Parallel()
	execution := newExecution()
	earlier := map[string]any{"state": "earlier"}
	execution.StoredTask = &a2a.Task{ID: "task", ContextID: "context", Metadata: map[string]any{statesKey: []any{earlier}}}
	var last map[string]any
	for event := range newTestExecutor(func(context.Context, Request, *Reply) error { return nil }).Execute(t.Context(), execution) {
		last = event.Meta()
	}
	states, _ := last[statesKey].([]any)
	if len(states) != 3 || states[0].(map[string]any)["state"] != "earlier" ||
		states[2].(map[string]any)["state"] != string(a2a.TaskStateCompleted) {
		t.Errorf("got %v", last)
	}
}

func TestRequestText(t *testing.T) {
	t.Parallel()
	file := a2a.NewRawPart([]byte("abc"))
	file.Filename, file.MediaType = "notes.txt", "text/plain"
	message := a2a.NewMessage(a2a.MessageRoleUser,
		a2a.NewTextPart("look:"), a2a.NewDataPart(map[string]any{"x": 1}), file, a2a.NewFileURLPart("https://example.com/a", "image/png"))
	want := "look:\n{\"x\":1}\n[attached file notes.txt (text/plain): 3 bytes]\n[attached file (image/png): https://example.com/a]"
	if got := (Request{Message: message}).Text(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
