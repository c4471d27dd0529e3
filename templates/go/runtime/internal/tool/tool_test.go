package tool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

type greeting struct {
	Name  string `json:"name"`
	Times int    `json:"times,omitempty"`
}

func greeter(handler func(context.Context, greeting) (string, error)) Set {
	return Set{New("greet", "Says hello.", `{"type":"object","properties":{"name":{"type":"string"}}}`, handler)}
}

func TestCallDecodesArguments(t *testing.T) {
	tools := greeter(func(_ context.Context, arguments greeting) (string, error) {
		return strings.Repeat("hello "+arguments.Name, arguments.Times), nil
	})
	result, known := tools.Call(t.Context(), "greet", json.RawMessage(`{"name":"Ada","times":2}`))
	if !known || result.IsError || result.Text != "hello Adahello Ada" {
		t.Fatalf("got %+v, known %v", result, known)
	}
}

func TestBadArgumentsAreTheModelsToRepair(t *testing.T) {
	tools := greeter(func(context.Context, greeting) (string, error) { return "", errors.New("must not run") })
	for arguments, want := range map[string]string{
		`{"times":"twice"}`: "times cannot be a string",
		`[1]`:               "not a JSON object",
		`{"name":`:          "not a JSON object",
	} {
		result, _ := tools.Call(t.Context(), "greet", json.RawMessage(arguments))
		if !result.IsError || !strings.Contains(result.Text, want) {
			t.Errorf("%s: got %+v, want an error with %q", arguments, result, want)
		}
	}
}

func TestHandlerErrorBecomesAnErrorResult(t *testing.T) {
	tools := greeter(func(context.Context, greeting) (string, error) { return "", errors.New("nobody home") })
	result, known := tools.Call(t.Context(), "greet", nil)
	if !known || !result.IsError || result.Text != "nobody home" {
		t.Fatalf("got %+v, known %v", result, known)
	}
}

func TestUnknownNameIsNotKnown(t *testing.T) {
	if _, known := greeter(nil).Call(t.Context(), "other", nil); known {
		t.Fatal("a tool that does not exist was found")
	}
}

func TestSchemaKeepsNumbersAsWritten(t *testing.T) {
	tools := Set{New("count", "", `{"type":"object","maxProperties":9007199254740993}`,
		func(context.Context, greeting) (string, error) { return "", nil })}
	encoded, err := json.Marshal(tools.Definitions()[0].Schema)
	if err != nil || string(encoded) != `{"maxProperties":9007199254740993,"type":"object"}` {
		t.Fatalf("got %s, %v", encoded, err)
	}
}
