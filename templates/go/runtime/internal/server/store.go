package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"
)

// maxWaiting bounds the number of tasks that wait for their user.
const maxWaiting = 1000

// Retention bounds the tasks that are kept in memory when they do not run; the oldest are dropped first.
type Retention struct {
	MaxCompleted    int `env:"A2A_TASK_RETENTION_MAX_COMPLETED_TASKS"` // or canceled
	MaxFailed       int `env:"A2A_TASK_RETENTION_MAX_FAILED_TASKS"`    // or rejected
	MaxBytes        int `env:"A2A_TASK_RETENTION_MAX_BYTES"`
	MaxWaitingBytes int `env:"A2A_TASK_RETENTION_MAX_WAITING_BYTES"`
}

// Store keeps tasks in memory as JSON, so that their size is known. A task belongs to the caller who began it; to others
// it does not exist. It implements taskstore.Store.
type Store struct {
	retention Retention
	//adl:if push

	onDrop func(a2a.TaskID)
	//adl:end

	mu      sync.Mutex
	version taskstore.TaskVersion // of the latest change
	records map[a2a.TaskID]*record
}

// record is a stored task and what tasks are selected by.
type record struct {
	id                a2a.TaskID
	encoded           []byte
	caller, contextID string
	state             a2a.TaskState
	timestamp         *time.Time
	version           taskstore.TaskVersion // counts the changes of all tasks: higher is newer
}

// NewStore returns an empty Store.
func NewStore(retention Retention) *Store {
	return &Store{retention: retention, records: map[a2a.TaskID]*record{}}
}

// Create implements taskstore.Store.
func (s *Store) Create(ctx context.Context, task *a2a.Task) (taskstore.TaskVersion, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.records[task.ID] != nil {
		return taskstore.TaskVersionMissing, taskstore.ErrTaskAlreadyExists
	}
	return s.put(ctx, task)
}

// Update implements taskstore.Store.
func (s *Store) Update(ctx context.Context, update *taskstore.UpdateRequest) (taskstore.TaskVersion, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored := s.records[update.Task.ID]
	if stored == nil || stored.caller != caller(ctx) {
		return taskstore.TaskVersionMissing, a2a.ErrTaskNotFound
	}
	if update.PrevVersion != taskstore.TaskVersionMissing && update.PrevVersion != stored.version {
		return taskstore.TaskVersionMissing, taskstore.ErrConcurrentModification
	}
	return s.put(ctx, update.Task)
}

func (s *Store) put(ctx context.Context, task *a2a.Task) (taskstore.TaskVersion, error) {
	state := task.Status.State
	copied := *task
	copied.History = inOrder(task)
	if state.Terminal() {
		copied.Artifacts = joinTexts(task.Artifacts)
	}
	encoded, err := json.Marshal(copied)
	if err != nil {
		return taskstore.TaskVersionMissing, err
	}
	s.version++
	s.records[task.ID] = &record{task.ID, encoded, caller(ctx), task.ContextID, state, task.Status.Timestamp, s.version}
	if state.Terminal() || isWaiting(state) {
		s.dropOldest()
	}
	return s.version, nil
}

// Get implements taskstore.Store.
func (s *Store) Get(ctx context.Context, id a2a.TaskID) (*taskstore.StoredTask, error) {
	s.mu.Lock()
	stored := s.records[id]
	s.mu.Unlock()
	if stored == nil || stored.caller != caller(ctx) {
		return nil, a2a.ErrTaskNotFound
	}
	task, err := stored.decode()
	return &taskstore.StoredTask{Task: task, Version: stored.version, User: stored.caller}, err
}

func (r *record) decode() (*a2a.Task, error) {
	task := new(a2a.Task)
	return task, json.Unmarshal(r.encoded, task)
}

// caller returns the name of the authenticated user, empty while there is no authentication.
func caller(ctx context.Context) string {
	if call, ok := a2asrv.CallContextFrom(ctx); ok && call.User != nil {
		return call.User.Name
	}
	return ""
}

func isWaiting(state a2a.TaskState) bool {
	return state == a2a.TaskStateInputRequired || state == a2a.TaskStateAuthRequired
}

// dropOldest drops the tasks that do not fit the limits.
func (s *Store) dropOldest() {
	var completed, failed, waiting, bytes, waitingBytes int
	for _, stored := range s.newest(func(*record) bool { return true }) {
		count, maxCount, used, maxBytes := &completed, s.retention.MaxCompleted, &bytes, s.retention.MaxBytes
		switch {
		case isWaiting(stored.state):
			count, maxCount, used, maxBytes = &waiting, maxWaiting, &waitingBytes, s.retention.MaxWaitingBytes
		case stored.state == a2a.TaskStateFailed || stored.state == a2a.TaskStateRejected:
			count, maxCount = &failed, s.retention.MaxFailed
		case !stored.state.Terminal():
			continue
		}
		if *count == maxCount || *used+len(stored.encoded) > maxBytes {
			if stored.version != s.version { // the latest is still to be sent
				delete(s.records, stored.id)
				//adl:if push
				if s.onDrop != nil {
					s.onDrop(stored.id)
				}
				//adl:end
			}
			continue
		}
		*count++
		*used += len(stored.encoded)
	}
}

// newest returns the records that match, the latest change first.
func (s *Store) newest(matches func(*record) bool) []*record {
	var records []*record
	for _, stored := range s.records {
		if matches(stored) {
			records = append(records, stored)
		}
	}
	slices.SortFunc(records, func(a, b *record) int { return cmp.Compare(b.version, a.version) })
	return records
}

// List implements taskstore.Store. A page token is the version of the last task of a page.
//
// A2A 1.0 lets a listing go over all tasks of the caller. Without authentication every caller is the same, so that a
// listing has to name a context, whose id only the partners of that conversation know.
func (s *Store) List(ctx context.Context, request *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	const defaultSize, maxSize = 50, 100
	size := cmp.Or(request.PageSize, defaultSize)
	if size < 1 || size > maxSize {
		return nil, a2a.NewError(a2a.ErrInvalidParams, fmt.Sprintf("pageSize must be between 1 and %d", maxSize))
	}
	caller := caller(ctx)
	if caller == "" && request.ContextID == "" {
		return nil, a2a.NewError(a2a.ErrInvalidParams, "contextId is required: this agent does not authenticate its callers")
	}
	before, err := strconv.ParseInt(cmp.Or(request.PageToken, fmt.Sprint(math.MaxInt64)), 10, 64)
	if err != nil {
		return nil, a2a.NewError(a2a.ErrInvalidParams, "pageToken is invalid")
	}
	s.mu.Lock()
	matching := s.newest(func(r *record) bool {
		after := request.StatusTimestampAfter
		return r.caller == caller && (request.ContextID == "" || request.ContextID == r.contextID) &&
			(request.Status == a2a.TaskStateUnspecified || request.Status == r.state) &&
			(after == nil || r.timestamp == nil || !r.timestamp.Before(*after))
	})
	s.mu.Unlock()
	response := &a2a.ListTasksResponse{Tasks: []*a2a.Task{}, TotalSize: len(matching), PageSize: size}
	for _, stored := range matching {
		if int64(stored.version) >= before {
			continue
		}
		if len(response.Tasks) == size {
			response.NextPageToken = strconv.FormatInt(before, 10)
			break
		}
		task, err := stored.decode()
		if err != nil {
			return nil, err
		}
		if !request.IncludeArtifacts {
			task.Artifacts = nil
		}
		if limit := request.HistoryLength; limit != nil && *limit >= 0 && *limit < len(task.History) {
			task.History = task.History[len(task.History)-*limit:]
		}
		response.Tasks = append(response.Tasks, task)
		before = int64(stored.version)
	}
	return response, nil
}

// joinTexts makes one part of the many in which a streamed text arrived.
func joinTexts(artifacts []*a2a.Artifact) []*a2a.Artifact {
	joined := make([]*a2a.Artifact, len(artifacts))
	for i, artifact := range artifacts {
		result := *artifact
		result.Parts = nil
		for _, part := range artifact.Parts {
			last := len(result.Parts) - 1
			if last >= 0 && isPlainText(part) && isPlainText(result.Parts[last]) {
				result.Parts[last] = a2a.NewTextPart(result.Parts[last].Text() + part.Text())
			} else {
				result.Parts = append(result.Parts, part)
			}
		}
		joined[i] = &result
	}
	return joined
}

func isPlainText(part *a2a.Part) bool {
	_, text := part.Content.(a2a.Text)
	return text && part.Metadata == nil && part.Filename == "" && part.MediaType == ""
}
