// Package tool describes the tools that a model can call and runs the agent's own ones.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Definition is what the model is told about a tool.
type Definition struct {
	Name        string
	Description string
	// Schema is the JSON Schema of the arguments, an object. It is shared and must not be changed.
	Schema map[string]any
}

// Result is what a call of a tool tells the model.
type Result struct {
	Text    string
	IsError bool
}

// Source offers tools and runs them. Both methods may be called from many goroutines.
type Source interface {
	// Definitions lists what can be called right now.
	Definitions() []Definition
	// Call runs the tool of that name; known is false when this source has none.
	Call(ctx context.Context, name string, arguments json.RawMessage) (result Result, known bool)
}

// Tool is a tool that is part of this agent.
type Tool struct {
	Definition
	run func(ctx context.Context, arguments json.RawMessage) (string, error)
}

// New ties a handler to its description. The schema is a JSON object; arguments are decoded into Arguments, and the
// model is told when they do not fit.
func New[Arguments any](name, description, schema string, handler func(context.Context, Arguments) (string, error)) Tool {
	run := func(ctx context.Context, raw json.RawMessage) (string, error) {
		var arguments Arguments
		if err := decode(raw, &arguments); err != nil {
			return "", err
		}
		return handler(ctx, arguments)
	}
	return Tool{Definition{Name: name, Description: description, Schema: parseSchema(name, schema)}, run}
}

// Set is a Source of tools that are part of this agent, in the order in which the model is offered them.
type Set []Tool

// Definitions implements Source.
func (s Set) Definitions() []Definition {
	definitions := make([]Definition, len(s))
	for i, tool := range s {
		definitions[i] = tool.Definition
	}
	return definitions
}

// Call implements Source.
func (s Set) Call(ctx context.Context, name string, arguments json.RawMessage) (Result, bool) {
	for _, tool := range s {
		if tool.Name != name {
			continue
		}
		text, err := tool.run(ctx, arguments)
		if err != nil {
			return Result{Text: err.Error(), IsError: true}, true
		}
		return Result{Text: text}, true
	}
	return Result{}, false
}

// parseSchema keeps numbers as they are written, so that large ones do not lose digits.
func parseSchema(name, schema string) map[string]any {
	decoder := json.NewDecoder(strings.NewReader(schema))
	decoder.UseNumber()
	var parsed map[string]any
	if err := decoder.Decode(&parsed); err != nil {
		panic(fmt.Sprintf("the schema of tool %s is not a JSON object: %v", name, err))
	}
	if _, typed := parsed["type"]; !typed {
		parsed["type"] = "object" // model servers ask for it
	}
	return parsed
}

func decode(raw json.RawMessage, target any) error {
	if len(raw) == 0 {
		return nil
	}
	err := json.Unmarshal(raw, target)
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) && wrongType.Field != "" {
		return fmt.Errorf("invalid arguments: %s cannot be a %s", wrongType.Field, wrongType.Value)
	}
	if err != nil {
		return fmt.Errorf("invalid arguments: not a JSON object as the tool's schema describes it (%w)", err)
	}
	return nil
}
