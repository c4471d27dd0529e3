package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/openai/openai-go/v3"

	"adl.example/agent/internal/llm"
	"adl.example/agent/internal/tool"
)

// QuestionTool is the name of the tool by which the model asks the user; no other tool may have it.
const QuestionTool = "input_required"

// maxResult bounds the text of one tool result, in bytes, so that it leaves the model room for everything else.
const maxResult = 256 << 10

var questionTool = tool.Definition{
	Name: QuestionTool,
	Description: "Asks the user for something that is needed to continue, such as a missing detail or a confirmation. " +
		"The user's answer is the result.",
	Schema: map[string]any{
		"type":       "object",
		"properties": map[string]any{"message": map[string]any{"type": "string", "description": "What to ask the user."}},
		"required":   []any{"message"},
	},
}

// Config contains the settings of a Loop.
type Config struct {
	SystemPrompt  string `env:"A2A_AGENT_CLIENT_SYSTEM_PROMPT"`
	MaxIterations int    `env:"A2A_AGENT_CLIENT_MAX_CHAT_COMPLETION_ITERATIONS"`
	MaxHistory    int    `env:"A2A_AGENT_CLIENT_MAX_CONVERSATION_HISTORY"`
	MaxBytes      int    `env:"A2A_AGENT_CLIENT_MAX_CONVERSATION_BYTES"`
}

// Model answers a conversation; llm.Client is one.
type Model interface {
	Complete(ctx context.Context, messages []openai.ChatCompletionMessageParamUnion, tools []tool.Definition,
		write func(text string)) (*llm.Completion, error)
}

// Loop is a Responder that asks a model and runs the tools that it calls, until the model has an answer.
type Loop struct {
	config        Config
	model         Model
	sources       []tool.Source
	conversations *conversations
	logger        *slog.Logger
}

// NewLoop returns a Loop. Of two tools with the same name, that of the earlier source is called.
func NewLoop(config Config, model Model, logger *slog.Logger, sources ...tool.Source) (*Loop, error) {
	if config.MaxIterations < 1 {
		return nil, errors.New("A2A_AGENT_CLIENT_MAX_CHAT_COMPLETION_ITERATIONS: must be at least 1")
	}
	conversations := newConversations(config.MaxHistory, config.MaxBytes)
	return &Loop{config: config, model: model, sources: sources, conversations: conversations, logger: logger}, nil
}

// Forget drops what is kept for a task that will not be continued.
func (l *Loop) Forget(task a2a.TaskID) { l.conversations.forget(task) }

// Respond implements Responder.
func (l *Loop) Respond(ctx context.Context, request Request, reply *Reply) error {
	history, current := l.conversations.begin(request)
	if l.config.SystemPrompt != "" {
		history = append(turn{openai.SystemMessage(l.config.SystemPrompt)}, history...)
	}
	var written, separate bool
	write := func(text string) {
		if separate { // the model continues after it called tools
			text, separate = "\n\n"+text, false
		}
		_, _ = io.WriteString(reply, text) // fails at the end of ctx only
		written = true
	}
	for range l.config.MaxIterations {
		separate = written
		completion, err := l.model.Complete(ctx, append(history[:len(history):len(history)], current...), l.definitions(), write)
		if err != nil {
			return err
		}
		current = append(current, completion.Message())
		if len(completion.Calls) == 0 {
			if !written {
				return Failure("the model gave an empty answer")
			}
			if completion.Truncated {
				reply.remark = "the answer was cut off at the model's token limit"
			}
			l.conversations.end(request, current)
			return nil
		}
		results, question := l.call(ctx, completion.Calls)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		current = append(current, results...)
		if question != "" {
			l.conversations.wait(request, current)
			reply.Ask(question)
			return nil
		}
	}
	return Failure(fmt.Sprintf("no answer after %d requests to the model", l.config.MaxIterations))
}

func (l *Loop) definitions() []tool.Definition {
	definitions := []tool.Definition{questionTool}
	for _, source := range l.sources {
		definitions = append(definitions, source.Definitions()...)
	}
	return definitions
}

// call runs tools concurrently and returns their results in the order of the calls. Calls that ask the user have no result
// yet; their questions are returned instead.
func (l *Loop) call(ctx context.Context, calls []llm.Call) (results []openai.ChatCompletionMessageParamUnion, question string) {
	var questions []string
	var wg sync.WaitGroup
	answers := make([]*tool.Result, len(calls))
	for i, call := range calls {
		if call.Name == QuestionTool {
			var arguments struct{ Message string }
			if err := json.Unmarshal([]byte(call.Arguments), &arguments); err == nil && arguments.Message != "" {
				questions = append(questions, arguments.Message)
			} else {
				answers[i] = &tool.Result{Text: `the arguments must be {"message": "what to ask the user"}`, IsError: true}
			}
			continue
		}
		wg.Go(func() {
			result := l.callTool(ctx, call)
			answers[i] = &result
		})
	}
	wg.Wait()
	for i, answer := range answers {
		if answer == nil {
			continue
		}
		text := answer.Text
		if answer.IsError { // the protocol has no mark for errors
			text = "Error: " + text
		}
		if len(text) > maxResult {
			text = fmt.Sprintf("%s\n[cut off: %d of %d bytes are shown]", strings.ToValidUTF8(text[:maxResult], ""), maxResult, len(text))
		}
		results = append(results, openai.ToolMessage(text, calls[i].ID))
	}
	return results, strings.Join(questions, "\n\n")
}

func (l *Loop) callTool(ctx context.Context, call llm.Call) (result tool.Result) {
	defer func() {
		if p := recover(); p != nil {
			l.logger.Error("panic in a tool", "tool", call.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			result = tool.Result{Text: "the tool failed unexpectedly", IsError: true}
		}
	}()
	arguments := json.RawMessage(call.Arguments)
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	if !json.Valid(arguments) {
		return tool.Result{Text: "the arguments are not valid JSON: " + call.Arguments, IsError: true}
	}
	for _, source := range l.sources {
		if result, known := source.Call(ctx, call.Name, arguments); known {
			l.logger.Debug("tool called", "tool", call.Name, "error", result.IsError)
			return result
		}
	}
	return tool.Result{Text: fmt.Sprintf("tool %q not found", call.Name), IsError: true}
}
