// Command a2a-client drives the official Go A2A client for the tests: one JSON command a line on standard input, one JSON
// answer a line on standard output. The first argument is the agent's base URL, the second the protocol to speak, 0.3 or 1.0.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
)

// command is one line of standard input: do is send, begin (send without waiting), stream, get or cancel.
type command struct {
	Do      string `json:"do"`
	Text    string `json:"text"`
	Task    string `json:"task"`
	Context string `json:"context"`
}

// answer is one line of standard output: the task as the client sees it after the command, or the error.
type answer struct {
	Task    string   `json:"task"`
	Context string   `json:"context"`
	State   string   `json:"state"`
	Text    string   `json:"text"`
	Message string   `json:"message"`
	States  []string `json:"states"`
	Error   string   `json:"error,omitempty"`
}

func main() {
	if err := run(context.Background(), os.Args[1], a2a.ProtocolVersion(os.Args[2])); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, base string, version a2a.ProtocolVersion) error {
	client, err := connect(ctx, base, version)
	if err != nil {
		return err
	}
	output := json.NewEncoder(os.Stdout)
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		var next command
		if err := json.Unmarshal(input.Bytes(), &next); err != nil {
			return err
		}
		view := &answer{States: []string{}}
		if err := view.apply(ctx, client, next); err != nil {
			view.Error = err.Error()
		}
		if err := output.Encode(view); err != nil {
			return err
		}
	}
	return input.Err()
}

// connect reads the card as a client of that protocol does and keeps the interface of the wanted version only.
func connect(ctx context.Context, base string, version a2a.ProtocolVersion) (*a2aclient.Client, error) {
	resolver := agentcard.NewResolver(nil)
	if version == a2av0.Version {
		resolver.CardParser = a2av0.NewAgentCardParser()
	}
	card, err := resolver.Resolve(ctx, base)
	if err != nil {
		return nil, err
	}
	var wanted []*a2a.AgentInterface
	for _, offered := range card.SupportedInterfaces {
		if strings.HasPrefix(string(offered.ProtocolVersion), string(version)) {
			wanted = append(wanted, offered)
		}
	}
	if len(wanted) == 0 {
		return nil, fmt.Errorf("the card offers no interface of version %s", version)
	}
	card.SupportedInterfaces = wanted
	return a2aclient.NewFromCard(ctx, card, a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{}))
}

func (view *answer) apply(ctx context.Context, client *a2aclient.Client, next command) error {
	switch next.Do {
	case "send", "begin":
		result, err := client.SendMessage(ctx, next.request())
		if err != nil {
			return err
		}
		view.add(result)
	case "stream":
		for event, err := range client.SendStreamingMessage(ctx, next.request()) {
			if err != nil {
				return err
			}
			view.add(event)
		}
	case "get":
		task, err := client.GetTask(ctx, &a2a.GetTaskRequest{ID: a2a.TaskID(next.Task)})
		if err != nil {
			return err
		}
		view.add(task)
	case "cancel":
		task, err := client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: a2a.TaskID(next.Task)})
		if err != nil {
			return err
		}
		view.add(task)
	default:
		return fmt.Errorf("unknown command %q", next.Do)
	}
	return nil
}

func (next command) request() *a2a.SendMessageRequest {
	message := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(next.Text))
	message.TaskID = a2a.TaskID(next.Task)
	message.ContextID = next.Context
	return &a2a.SendMessageRequest{
		Message: message,
		Config:  &a2a.SendMessageConfig{ReturnImmediately: next.Do == "begin"},
	}
}

func (view *answer) add(event any) {
	switch event := event.(type) {
	case *a2a.Task:
		view.Task, view.Context, view.Text = string(event.ID), event.ContextID, ""
		for _, artifact := range event.Artifacts {
			view.Text += text(artifact.Parts)
		}
		view.status(event.Status)
	case *a2a.TaskStatusUpdateEvent:
		view.status(event.Status)
	case *a2a.TaskArtifactUpdateEvent:
		view.Text += text(event.Artifact.Parts)
	case *a2a.Message:
		view.Message = text(event.Parts)
	}
}

func (view *answer) status(status a2a.TaskStatus) {
	view.State = spell(status.State)
	view.States = append(view.States, view.State)
	if status.Message != nil {
		view.Message = text(status.Message.Parts)
	}
}

// spell gives a state its name of protocol 0.3, such as input-required.
func spell(state a2a.TaskState) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(state.String(), "TASK_STATE_"), "_", "-"))
}

func text(parts a2a.ContentParts) string {
	var all strings.Builder
	for _, part := range parts {
		all.WriteString(part.Text())
	}
	return all.String()
}
