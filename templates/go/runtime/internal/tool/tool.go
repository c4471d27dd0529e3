// Package tool describes the tools that a model can call.
package tool

import (
	"context"
	"encoding/json"
	//adl:if toolset
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	//adl:end
)

// Definition describes a tool to the model.
type Definition struct {
	Name        string
	Description string
	// Schema is the JSON Schema of the arguments, an object. It is shared and must not be changed.
	Schema map[string]any
}

// Result is the result of a call for the model.
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

//adl:if toolset

// Tool is a tool that is part of this agent.
type Tool struct {
	Definition
	schema *jsonschema.Resolved // nil: arguments are not checked
	run    func(ctx context.Context, arguments json.RawMessage) (string, error)
}

// New ties a handler to its description. The schema is a JSON object. Arguments that do not fit it, or the type Arguments,
// do not reach the handler: the model is told what is wrong.
func New[Arguments any](name, description, schema string, handler func(context.Context, Arguments) (string, error)) Tool {
	decoder := json.NewDecoder(strings.NewReader(schema))
	decoder.UseNumber() // large numbers keep their digits
	tool := Tool{Definition: Definition{Name: name, Description: description}}
	if err := decoder.Decode(&tool.Schema); err != nil {
		panic(fmt.Sprintf("the schema of tool %s is not a JSON object: %v", name, err))
	}
	if _, ok := tool.Schema["type"]; !ok {
		tool.Schema["type"] = "object" // model servers ask for it
	}
	// What the library cannot check, such as a pattern with a look-ahead or a reference to another document, only the
	// type Arguments does.
	var parsed jsonschema.Schema
	if encoded, err := json.Marshal(tool.Schema); err == nil && json.Unmarshal(encoded, &parsed) == nil {
		tool.schema, _ = parsed.Resolve(nil)
	}
	tool.run = func(ctx context.Context, raw json.RawMessage) (string, error) {
		var arguments Arguments
		if err := json.Unmarshal(raw, &arguments); err != nil {
			return "", fmt.Errorf("invalid arguments: %w", err)
		}
		return handler(ctx, arguments)
	}
	return tool
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
		if tool.Name == name {
			text, err := tool.call(ctx, arguments)
			if err != nil {
				return Result{Text: err.Error(), IsError: true}, true
			}
			return Result{Text: text}, true
		}
	}
	return Result{}, false
}

func (t Tool) call(ctx context.Context, arguments json.RawMessage) (string, error) {
	var value any
	if err := json.Unmarshal(arguments, &value); err != nil {
		return "", fmt.Errorf("invalid arguments: %w", err)
	}
	if t.schema != nil {
		if err := t.schema.Validate(value); err != nil {
			return "", fmt.Errorf("invalid arguments: %w", err)
		}
	}
	return t.run(ctx, arguments)
}

//adl:end
