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

const schema = `{"type":"object","required":["name"],"properties":{
	"name":{"type":"string","minLength":2},"times":{"type":"integer","maximum":9},"style":{"enum":["warm","cool"]}}}`

func greeter(schema string, handler func(context.Context, greeting) (string, error)) Set {
	return Set{New("greet", "Says hello.", schema, handler)}
}

func TestCallDecodesArguments(t *testing.T) {
	t.Parallel()
	tools := greeter(schema, func(_ context.Context, arguments greeting) (string, error) {
		return strings.Repeat("hello "+arguments.Name, arguments.Times), nil
	})
	result, known := tools.Call(t.Context(), "greet", json.RawMessage(`{"name":"Ada","times":2}`))
	if !known || result.IsError || result.Text != "hello Adahello Ada" {
		t.Fatalf("got %+v, known %v", result, known)
	}
}

func TestInvalidArgumentsDoNotReachTheHandler(t *testing.T) {
	t.Parallel()
	tools := greeter(schema, func(context.Context, greeting) (string, error) { return "", errors.New("must not run") })
	for arguments, want := range map[string]string{
		`{}`:                            `missing properties: ["name"]`,
		`null`:                          "object",
		`[1]`:                           "object",
		`{"name":`:                      "unexpected end",
		`{"name":"A"}`:                  "minLength",
		`{"name":7}`:                    "/properties/name",
		`{"name":"Ada","times":"two"}`:  "/properties/times",
		`{"name":"Ada","times":10}`:     "maximum",
		`{"name":"Ada","style":"loud"}`: "enum",
	} {
		result, known := tools.Call(t.Context(), "greet", json.RawMessage(arguments))
		if !known || !result.IsError || !strings.HasPrefix(result.Text, "invalid arguments: ") || !strings.Contains(result.Text, want) {
			t.Errorf("%s: got %+v, want an error with %q", arguments, result, want)
		}
	}
}

func TestSchemaThatCannotBeCheckedLeavesTheTypesToCheck(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		`{"properties":{"name":{"pattern":"^(?!x)"}}}`, `{"$ref":"https://example.com/schema.json"}`, `{"required":"name"}`,
	} {
		tools := greeter(schema, func(_ context.Context, arguments greeting) (string, error) { return arguments.Name, nil })
		if result, _ := tools.Call(t.Context(), "greet", json.RawMessage(`{"name":"Ada"}`)); result.Text != "Ada" {
			t.Errorf("%s: got %+v", schema, result)
		}
		result, _ := tools.Call(t.Context(), "greet", json.RawMessage(`{"name":7}`))
		if !result.IsError || !strings.Contains(result.Text, "name") {
			t.Errorf("%s: got %+v", schema, result)
		}
	}
}

func TestErrorOfTheHandlerIsTheResult(t *testing.T) {
	t.Parallel()
	tools := greeter(schema, func(context.Context, greeting) (string, error) { return "", errors.New("nobody home") })
	result, known := tools.Call(t.Context(), "greet", json.RawMessage(`{"name":"Ada"}`))
	if !known || !result.IsError || result.Text != "nobody home" {
		t.Fatalf("got %+v, known %v", result, known)
	}
}

func TestUnknownNameIsNotKnown(t *testing.T) {
	t.Parallel()
	if _, known := greeter(schema, nil).Call(t.Context(), "other", nil); known {
		t.Fatal("a tool that does not exist was found")
	}
}

func TestSchemaKeepsNumbersAsWritten(t *testing.T) {
	t.Parallel()
	encoded, err := json.Marshal(greeter(`{"maxProperties":9007199254740993}`, nil).Definitions()[0].Schema)
	if err != nil || string(encoded) != `{"maxProperties":9007199254740993,"type":"object"}` {
		t.Fatalf("got %s, %v", encoded, err)
	}
}
