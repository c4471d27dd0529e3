package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"
)

// as returns a context of a caller's request.
func as(t *testing.T, name string) context.Context {
	ctx, call := a2asrv.NewCallContext(t.Context(), nil)
	call.User = a2asrv.NewAuthenticatedUser(name, nil)
	return ctx
}

// add stores a task that comes to a state.
func add(t *testing.T, ctx context.Context, store *Store, id string, state a2a.TaskState, parts ...*a2a.Part) {
	t.Helper()
	task := &a2a.Task{ID: a2a.TaskID(id), ContextID: "context", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}}
	version, err := store.Create(ctx, task)
	if err != nil {
		t.Fatal(err)
	}
	task.Status.State = state
	if len(parts) > 0 {
		task.Artifacts = []*a2a.Artifact{{ID: "artifact", Parts: parts}}
	}
	if _, err := store.Update(ctx, &taskstore.UpdateRequest{Task: task, PrevVersion: version}); err != nil {
		t.Fatal(err)
	}
}

// known says which of the tasks are stored.
func known(t *testing.T, ctx context.Context, store *Store, ids ...string) (found []string) {
	t.Helper()
	for _, id := range ids {
		_, err := store.Get(ctx, a2a.TaskID(id))
		if err == nil {
			found = append(found, id)
		} else if !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Fatal(err)
		}
	}
	return found
}

func TestOldestTasksAreDropped(t *testing.T) {
	t.Parallel()
	store := NewStore(Retention{MaxCompleted: 2, MaxFailed: 1, MaxBytes: 1 << 20, MaxWaitingBytes: 1 << 20})
	var dropped []a2a.TaskID
	store.onDrop = func(id a2a.TaskID) { dropped = append(dropped, id) }
	ids := []string{"working", "waiting", "completed 1", "failed 1", "canceled", "completed 2", "rejected"}
	for i, state := range []a2a.TaskState{
		a2a.TaskStateWorking, a2a.TaskStateInputRequired, a2a.TaskStateCompleted, a2a.TaskStateFailed, a2a.TaskStateCanceled,
		a2a.TaskStateCompleted, a2a.TaskStateRejected,
	} {
		add(t, t.Context(), store, ids[i], state)
	}
	got := fmt.Sprint(known(t, t.Context(), store, ids...), dropped)
	if want := "[working waiting canceled completed 2 rejected] [completed 1 failed 1]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTasksAreHeldBelowTheirBytes(t *testing.T) {
	t.Parallel()
	store := NewStore(Retention{MaxCompleted: 100, MaxFailed: 100, MaxBytes: 25 << 10, MaxWaitingBytes: 15 << 10})
	text := a2a.NewTextPart(strings.Repeat("x", 10<<10))
	huge := a2a.NewTextPart(strings.Repeat("x", 30<<10))
	var ids []string
	for i, state := range []a2a.TaskState{
		a2a.TaskStateWorking, a2a.TaskStateCompleted, a2a.TaskStateCompleted, a2a.TaskStateInputRequired, a2a.TaskStateFailed,
		a2a.TaskStateAuthRequired, a2a.TaskStateWorking,
	} {
		ids = append(ids, fmt.Sprintf("%d", i))
		add(t, t.Context(), store, ids[i], state, text)
	}
	add(t, t.Context(), store, "huge", a2a.TaskStateCompleted, huge)
	got := fmt.Sprint(known(t, t.Context(), store, append(ids, "huge")...))
	if want := "[0 2 4 5 6 huge]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTaskThatIsDroppedAtOnceIsStillTheAnswer(t *testing.T) {
	t.Parallel()
	server := startWith(t, NewStore(Retention{}))
	for _, body := range []string{sendMessage, strings.Replace(sendMessage, "hi", "ask", 1), legacyMessage} {
		text := server.call(t, "", body)
		if code(text) != 0 || !strings.Contains(text, "hello") && !strings.Contains(text, "what?") {
			t.Errorf("got %s", text)
		}
	}
}

func TestTasksBelongToTheirCaller(t *testing.T) {
	t.Parallel()
	store := NewStore(generous)
	ada, eve := as(t, "ada"), as(t, "eve")
	add(t, ada, store, "task", a2a.TaskStateWorking)
	if found := known(t, eve, store, "task"); found != nil {
		t.Error("another caller reads the task")
	}
	if found := known(t, t.Context(), store, "task"); found != nil {
		t.Error("a caller without a name reads the task")
	}
	update := &taskstore.UpdateRequest{Task: &a2a.Task{ID: "task", Status: a2a.TaskStatus{State: a2a.TaskStateCanceled}}}
	if _, err := store.Update(eve, update); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("another caller changes the task: %v", err)
	}
	for ctx, want := range map[context.Context]int{ada: 1, eve: 0} {
		if response, err := store.List(ctx, &a2a.ListTasksRequest{}); err != nil || response.TotalSize != want {
			t.Errorf("got %+v, %v, want %d tasks", response, err, want)
		}
	}
}

func TestWithoutAuthenticationAListingNamesAContext(t *testing.T) {
	t.Parallel()
	server := start(t)
	list := `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}`
	if text := server.call(t, "1.0", list); code(text) != -32602 || !strings.Contains(text, "contextId is required") {
		t.Errorf("got %s", text)
	}
	var answer struct {
		Result struct {
			Task struct{ ID, ContextID string }
		}
	}
	if err := json.Unmarshal([]byte(server.call(t, "1.0", sendMessage)), &answer); err != nil {
		t.Fatal(err)
	}
	id, contextID := answer.Result.Task.ID, answer.Result.Task.ContextID
	inContext := strings.Replace(list, "{}", `{"contextId":"`+contextID+`"}`, 1)
	if text := server.call(t, "1.0", inContext); !strings.Contains(text, id) || !strings.Contains(text, `"totalSize":1`) {
		t.Errorf("got %s, want task %s", text, id)
	}
	get := strings.Replace(strings.Replace(list, "ListTasks", "GetTask", 1), "{}", `{"id":"`+id+`"}`, 1)
	if text := server.call(t, "1.0", get); code(text) != 0 {
		t.Errorf("got %s", text)
	}
}

func TestTaskIsStoredWhole(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	file := a2a.NewRawPart([]byte{0, 1, 255})
	file.Filename, file.MediaType, file.Metadata = "x", "y/z", map[string]any{"a": []any{1.0, "b", nil}}
	message := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(""), a2a.NewDataPart(map[string]any{"n": nil}), file,
		a2a.NewFileURLPart("https://example.com", "image/png"))
	task := &a2a.Task{
		ID: "task", ContextID: "context", History: []*a2a.Message{message},
		Status:    a2a.TaskStatus{State: a2a.TaskStateWorking, Timestamp: &now, Message: message},
		Artifacts: []*a2a.Artifact{{ID: "artifact", Name: "n", Parts: message.Parts}},
		Metadata:  map[string]any{"states": []any{map[string]any{"state": "x"}}},
	}
	store := NewStore(generous)
	if _, err := store.Create(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	stored, err := store.Get(t.Context(), "task")
	if err != nil || !reflect.DeepEqual(stored.Task, task) {
		t.Errorf("got %+v, %v", stored, err)
	}
}

func TestTextOfAnEndedTaskIsOnePart(t *testing.T) {
	t.Parallel()
	store := NewStore(generous)
	add(t, t.Context(), store, "task", a2a.TaskStateCompleted,
		a2a.NewTextPart("one "), a2a.NewTextPart("two"), a2a.NewTextPart(""), a2a.NewDataPart(3), a2a.NewTextPart("four"))
	stored, err := store.Get(t.Context(), "task")
	if err != nil {
		t.Fatal(err)
	}
	parts := stored.Task.Artifacts[0].Parts
	if len(parts) != 3 || parts[0].Text() != "one two" || parts[2].Text() != "four" {
		t.Errorf("got %d parts, the first one %q", len(parts), parts[0].Text())
	}
}

func TestUpdateOfAnOldVersionIsRefused(t *testing.T) {
	t.Parallel()
	store := NewStore(generous)
	add(t, t.Context(), store, "task", a2a.TaskStateWorking)
	update := &taskstore.UpdateRequest{Task: &a2a.Task{ID: "task"}, PrevVersion: 1}
	if _, err := store.Update(t.Context(), update); !errors.Is(err, taskstore.ErrConcurrentModification) {
		t.Errorf("got %v", err)
	}
	if _, err := store.Create(t.Context(), &a2a.Task{ID: "task"}); !errors.Is(err, taskstore.ErrTaskAlreadyExists) {
		t.Errorf("got %v", err)
	}
}

func TestListGoesThroughPages(t *testing.T) {
	t.Parallel()
	store := NewStore(generous)
	ctx := as(t, "ada")
	for i := range 5 {
		add(t, ctx, store, fmt.Sprint(i), a2a.TaskStateCompleted)
	}
	add(t, ctx, store, "other", a2a.TaskStateWorking)
	var seen string
	request := &a2a.ListTasksRequest{ContextID: "context", Status: a2a.TaskStateCompleted, PageSize: 2}
	for pages := 0; pages == 0 || request.PageToken != ""; pages++ {
		response, err := store.List(ctx, request)
		if err != nil || response.TotalSize != 5 || pages > 3 {
			t.Fatalf("page %d: %+v, %v", pages, response, err)
		}
		for _, task := range response.Tasks {
			seen += string(task.ID)
		}
		request.PageToken = response.NextPageToken
	}
	if seen != "43210" {
		t.Errorf("got %q, want the latest first and each one once", seen)
	}
	for _, request := range []*a2a.ListTasksRequest{{PageToken: "!"}, {PageSize: 101}, {PageSize: -1}} {
		if _, err := store.List(ctx, request); !errors.Is(err, a2a.ErrInvalidParams) {
			t.Errorf("%+v: got %v", request, err)
		}
	}
}
