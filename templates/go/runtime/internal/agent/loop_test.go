package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/openai/openai-go/v3"

	"adl.example/agent/internal/llm"
	"adl.example/agent/internal/tool"
)

// said is what the model is shown, a word a message: the role's first letter and the text.
func said(messages []openai.ChatCompletionMessageParamUnion) (words []string) {
	for _, message := range messages {
		role := "S:"
		switch {
		case message.OfUser != nil:
			role = "U:"
		case message.OfAssistant != nil:
			role = "A:"
		case message.OfTool != nil:
			role = "T:"
		}
		text, _ := message.GetContent().AsAny().(*string)
		if text == nil {
			text = new(string)
		}
		words = append(words, role+*text)
	}
	return words
}

// scriptedModel answers with a function of what was said and keeps what it was shown last.
type scriptedModel struct {
	answer func(said []string) llm.Completion
	mu     sync.Mutex
	shown  string
	tools  []tool.Definition
}

func (m *scriptedModel) Complete(
	_ context.Context, messages []openai.ChatCompletionMessageParamUnion, tools []tool.Definition, write func(string),
) (*llm.Completion, error) {
	words := said(messages)
	m.mu.Lock()
	m.shown, m.tools = strings.Join(words, ";"), tools
	m.mu.Unlock()
	completion := m.answer(words)
	if completion.Text != "" {
		write(completion.Text)
	}
	return &completion, nil
}

// callThenReport calls tools first, and repeats their results when it has them.
func callThenReport(calls ...llm.Call) func([]string) llm.Completion {
	return func(said []string) llm.Completion {
		var results []string
		for _, word := range said {
			if result, ok := strings.CutPrefix(word, "T:"); ok {
				results = append(results, result)
			}
		}
		if len(results) == 0 {
			return llm.Completion{Calls: calls}
		}
		return llm.Completion{Text: strings.Join(results, " | ")}
	}
}

func echo(said []string) llm.Completion {
	return llm.Completion{Text: "echo " + said[len(said)-1][2:]}
}

func newTestLoop(answer func([]string) llm.Completion, sources ...tool.Source) (*Loop, *scriptedModel) {
	model := &scriptedModel{answer: answer}
	config := Config{MaxIterations: 5, MaxHistory: 4, MaxBytes: 1 << 20}
	loop, err := NewLoop(config, model, slog.New(slog.DiscardHandler), sources...)
	if err != nil {
		panic(err)
	}
	return loop, model
}

func requestOf(task, caller, text string) Request {
	message := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))
	return Request{TaskID: a2a.TaskID(task), ContextID: "context", Caller: caller, Message: message}
}

// respond sends a request and returns the text of the answer.
func respond(ctx context.Context, loop *Loop, request Request) (text string, reply *Reply, err error) {
	content := make(chan []*a2a.Part)
	reply = &Reply{ctx: ctx, content: content}
	go func() {
		err = loop.Respond(ctx, request, reply)
		close(content)
	}()
	for parts := range content {
		text += parts[0].Text()
	}
	return text, reply, err
}

func say(t *testing.T, loop *Loop, task, text string) (string, *Reply, error) {
	t.Helper()
	return respond(t.Context(), loop, requestOf(task, "", text))
}

// testTools are a Source.
type testTools map[string]func(arguments string) tool.Result

func (s testTools) Definitions() []tool.Definition {
	return make([]tool.Definition, len(s))
}

func (s testTools) Call(_ context.Context, name string, arguments json.RawMessage) (tool.Result, bool) {
	run, known := s[name]
	if !known {
		return tool.Result{}, false
	}
	return run(string(arguments)), true
}

var greeter = testTools{
	"greet": func(arguments string) tool.Result { return tool.Result{Text: "hello " + arguments} },
	"fail":  func(string) tool.Result { return tool.Result{Text: "nobody home", IsError: true} },
	"panic": func(string) tool.Result { panic("secret") },
	"long":  func(string) tool.Result { return tool.Result{Text: "x" + strings.Repeat("é", maxResult)} },
}

func TestToolResultsReachTheModel(t *testing.T) {
	t.Parallel()
	loop, model := newTestLoop(callThenReport(
		llm.Call{ID: "1", Name: "greet", Arguments: `{"name":"Ada"}`},
		llm.Call{ID: "2", Name: "fail"},
		llm.Call{ID: "3", Name: "panic", Arguments: "{}"},
		llm.Call{ID: "4", Name: "greet", Arguments: `{"name"`},
		llm.Call{ID: "5", Name: "other", Arguments: `{}`},
		llm.Call{ID: "6", Name: "input_required", Arguments: `{}`},
		llm.Call{ID: "7", Name: "greet"},
	), greeter)
	got, _, err := say(t, loop, "task", "go")
	want := `hello {"name":"Ada"} | Error: nobody home | Error: the tool failed unexpectedly` +
		` | Error: the arguments are not valid JSON: {"name" | Error: tool "other" not found` +
		` | Error: the arguments must be {"message": "what to ask the user"} | hello {}`
	if err != nil || got != want {
		t.Errorf("got  %s (%v)\nwant %s", got, err, want)
	}
	if len(model.tools) != 5 || model.tools[0].Name != "input_required" {
		t.Errorf("the model was offered %v", model.tools)
	}
}

func TestLongResultIsCutOff(t *testing.T) {
	t.Parallel()
	loop, _ := newTestLoop(callThenReport(llm.Call{ID: "1", Name: "long"}), greeter)
	got, _, err := say(t, loop, "task", "go")
	note := fmt.Sprintf("é\n[cut off: %d of %d bytes are shown]", maxResult, 2*maxResult+1)
	if err != nil || !strings.HasSuffix(got, note) || len(got) > maxResult+len(note) {
		t.Errorf("got %d bytes that end with %q, %v", len(got), got[max(0, len(got)-100):], err)
	}
}

func TestEarlierSourceHasTheName(t *testing.T) {
	t.Parallel()
	other := testTools{"greet": func(string) tool.Result { return tool.Result{Text: "wrong one"} }}
	loop, _ := newTestLoop(callThenReport(llm.Call{ID: "1", Name: "greet"}), greeter, other)
	if got, _, err := say(t, loop, "task", "go"); err != nil || got != "hello {}" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestTextsAroundToolCallsAreParagraphs(t *testing.T) {
	t.Parallel()
	loop, _ := newTestLoop(func(said []string) llm.Completion {
		if len(said) == 1 {
			return llm.Completion{Text: "let me see", Calls: []llm.Call{{ID: "1", Name: "greet"}}}
		}
		return llm.Completion{Text: "done", Truncated: true}
	}, greeter)
	got, reply, err := say(t, loop, "task", "go")
	if err != nil || got != "let me see\n\ndone" || !strings.Contains(reply.remark, "token limit") {
		t.Errorf("got %q, %q, %v", got, reply.remark, err)
	}
}

func TestConversationIsRememberedWithinItsLimit(t *testing.T) {
	t.Parallel()
	loop, model := newTestLoop(echo)
	loop.config.SystemPrompt = "be kind"
	for _, text := range []string{"one", "two", "three", "four"} {
		if _, _, err := say(t, loop, "task "+text, text); err != nil {
			t.Fatal(err)
		}
	}
	if want := "S:be kind;U:two;A:echo two;U:three;A:echo three;U:four"; model.shown != want {
		t.Errorf("the model was shown %s, want %s", model.shown, want)
	}
}

func TestCallersDoNotShareAConversation(t *testing.T) {
	t.Parallel()
	loop, model := newTestLoop(echo)
	for _, caller := range []string{"ada", "eve"} {
		if _, _, err := respond(t.Context(), loop, requestOf("task "+caller, caller, "I am "+caller)); err != nil {
			t.Fatal(err)
		}
	}
	if want := "U:I am eve"; model.shown != want {
		t.Errorf("the model was shown %s, want %s", model.shown, want)
	}
}

func TestLongTurnIsKeptWithoutItsCalls(t *testing.T) {
	t.Parallel()
	var calls []llm.Call
	for i := range 5 {
		calls = append(calls, llm.Call{ID: fmt.Sprint(i), Name: "greet", Arguments: "{}"})
	}
	loop, model := newTestLoop(callThenReport(calls...), greeter)
	if _, _, err := say(t, loop, "first", "greet five times"); err != nil {
		t.Fatal(err)
	}
	model.answer = echo
	if _, _, err := say(t, loop, "second", "again"); err != nil {
		t.Fatal(err)
	}
	if want := "U:greet five times;A:" + strings.Repeat("hello {} | ", 4) + "hello {};U:again"; model.shown != want {
		t.Errorf("the model was shown %s, want %s", model.shown, want)
	}
}

func TestAnswerOfTheUserBecomesTheResult(t *testing.T) {
	t.Parallel()
	loop, model := newTestLoop(callThenReport(
		llm.Call{ID: "1", Name: "input_required", Arguments: `{"message":"which city?"}`},
		llm.Call{ID: "2", Name: "greet"},
		llm.Call{ID: "3", Name: "input_required", Arguments: `{"message":"which day?"}`}), greeter)
	_, reply, err := say(t, loop, "task", "weather")
	if err != nil || reply.question != "which city?\n\nwhich day?" {
		t.Fatalf("got %+v, %v", reply, err)
	}
	got, _, err := say(t, loop, "task", "Berlin, today")
	if err != nil || got != "hello {} | Berlin, today | Berlin, today" {
		t.Errorf("got %s, %v; the model was shown %s", got, err, model.shown)
	}
}

func TestForgottenQuestionIsNotAnswered(t *testing.T) {
	t.Parallel()
	loop, model := newTestLoop(callThenReport(
		llm.Call{ID: "1", Name: "input_required", Arguments: `{"message":"which city?"}`}))
	if _, _, err := say(t, loop, "task", "weather"); err != nil {
		t.Fatal(err)
	}
	for range NewExecutor(loop, slog.New(slog.DiscardHandler)).Cancel(t.Context(), newExecution()) {
	}
	model.answer = echo
	if got, _, err := say(t, loop, "task", "Berlin"); err != nil || got != "echo Berlin" || model.shown != "U:Berlin" {
		t.Errorf("got %s, %v; the model was shown %s", got, err, model.shown)
	}
}

func TestEndlessCallsEnd(t *testing.T) {
	t.Parallel()
	loop, _ := newTestLoop(func([]string) llm.Completion {
		return llm.Completion{Calls: []llm.Call{{ID: "1", Name: "greet", Arguments: "{}"}}}
	}, greeter)
	if _, _, err := say(t, loop, "task", "go"); err == nil || publicText(err) != "no answer after 5 requests to the model" {
		t.Errorf("got %v", err)
	}
	if _, err := NewLoop(Config{}, nil, nil); err == nil || !strings.HasPrefix(err.Error(), "A2A_AGENT_CLIENT_MAX_CHAT_COMPLETION_ITERATIONS: ") {
		t.Errorf("no iteration at all: got %v", err)
	}
}

func TestEmptyAnswerIsAFailure(t *testing.T) {
	t.Parallel()
	loop, _ := newTestLoop(func([]string) llm.Completion { return llm.Completion{} })
	if _, _, err := say(t, loop, "task", "go"); err == nil || publicText(err) != "the model gave an empty answer" {
		t.Errorf("got %v", err)
	}
}

func TestCallsEndWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	stopping := errors.New("stopping")
	slow := testTools{"wait": func(string) tool.Result {
		cancel(stopping)
		return tool.Result{}
	}}
	loop, _ := newTestLoop(callThenReport(llm.Call{ID: "1", Name: "wait"}), slow)
	if _, _, err := respond(ctx, loop, requestOf("task", "", "go")); !errors.Is(err, stopping) {
		t.Errorf("got %v", err)
	}
}

func TestMessagesAtOnceDoNotMix(t *testing.T) {
	t.Parallel()
	loop, _ := newTestLoop(echo)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			text := fmt.Sprint("message ", i)
			if got, _, err := say(t, loop, fmt.Sprint("task ", i), text); err != nil || got != "echo "+text {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
	wg.Wait()
}

func TestConversationsAreHeldBelowTheirBytes(t *testing.T) {
	t.Parallel()
	const kib = 1 << 10
	memory := newConversations(100, 100*kib)
	in := func(context string, size int) (Request, turn) {
		request := requestOf("task", "", "")
		request.ContextID = context
		return request, turn{openai.UserMessage(strings.Repeat("x", size)), openai.AssistantMessage("y")}
	}
	remembered := func(context string) bool {
		request, _ := in(context, 0)
		history, _ := memory.begin(request)
		return len(history) > 0
	}
	begun := time.Now()
	for i := range 300 {
		memory.end(in(fmt.Sprint(i), 10*kib))
	}
	if remembered("290") || !remembered("291") || !remembered("299") || memory.bytes > 100*kib {
		t.Errorf("%d bytes in %d conversations are kept", memory.bytes, len(memory.memories))
	}
	for range 20 { // one conversation counts with all that was said
		memory.end(in("299", 10*kib))
	}
	if memory.bytes > 100*kib || len(memory.memories) > 1 {
		t.Errorf("%d bytes in %d conversations are kept", memory.bytes, len(memory.memories))
	}
	waiting, long := in("waiting", 200*kib)
	memory.wait(waiting, long)
	if memory.bytes != 0 || len(memory.memories) != 0 {
		t.Errorf("%d bytes in %d turns are kept", memory.bytes, len(memory.memories))
	}
	if elapsed := time.Since(begun); elapsed > 10*time.Second {
		t.Errorf("it took %v", elapsed)
	}
}
