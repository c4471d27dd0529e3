package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// This file decides what the model sees of a server: descriptions and schemas of its tools, and results of calls.

const (
	// maxDescription and maxSchema bound what a tool adds to every request to the model, in bytes.
	maxDescription = 4 << 10
	maxSchema      = 64 << 10
)

// remoteTool is a tool as its server offers it, with a schema that every provider of models accepts.
type remoteTool struct {
	tool, description string
	schema            map[string]any
}

// readTools sorts the tools of one server by name, repairs their schemas, and leaves out what cannot be offered.
func readTools(tools []*sdk.Tool) (read []remoteTool, faults []string) {
	for _, one := range tools {
		schema, err := repairSchema(one.InputSchema)
		switch {
		case one.Name == "":
			err = errors.New("has no name")
		case one.InputSchema == unreadable:
			err = errors.New("its definition cannot be decoded")
		}
		if err != nil {
			faults = append(faults, fmt.Sprintf("tool %q: %s", cleanText(one.Name, 2*maxName), err))
			continue
		}
		description := cmp.Or(one.Description, one.Title)
		if description == "" && one.Annotations != nil {
			description = one.Annotations.Title
		}
		read = append(read, remoteTool{one.Name, cleanText(description, maxDescription), schema})
	}
	slices.SortFunc(read, func(a, b remoteTool) int { return cmp.Compare(a.tool, b.tool) })
	return read, faults
}

// cleanText removes control and formatting characters, which could hide or reorder what a person sees, and cuts the text.
func cleanText(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\u200c', r == '\u200d': // some languages need the joiners
			return r
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(text, "\ufffd"))
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + " [cut]"
}

// repairSchema returns the schema of a tool's arguments in a form that providers of models accept. A repair may allow more
// than the server, which checks its arguments itself, but not less. A schema that stays invalid is an error.
func repairSchema(given any) (map[string]any, error) {
	root := map[string]any{}
	encoded, err := json.Marshal(given) // a copy, which may be changed
	if err == nil && given != nil && given != true {
		err = json.Unmarshal(encoded, &root)
	}
	switch {
	case err != nil:
		return nil, errors.New("its input schema is not an object")
	case len(encoded) > maxSchema:
		return nil, fmt.Errorf("its input schema exceeds %d bytes", maxSchema)
	}
	root["type"] = "object"
	err = errors.Join(repairNode(root), flatten(root))
	var schema jsonschema.Schema
	if err == nil {
		encoded, err = json.Marshal(root)
	}
	if err == nil {
		err = json.Unmarshal(encoded, &schema)
	}
	if err == nil {
		_, err = schema.Resolve(nil)
	}
	if err != nil {
		return nil, fmt.Errorf("its input schema is not valid: %s", cleanText(err.Error(), 200))
	}
	return root, nil
}

var (
	typeNames = []any{"array", "object", "string", "number", "integer", "boolean", "null"}
	// dataKeys are the keywords whose values are not schemas, schemaMaps those whose values are schemas by name.
	dataKeys   = []string{"default", "const", "enum", "examples"}
	schemaMaps = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)

// repairNode repairs a schema and those within it, in place.
func repairNode(node map[string]any) (fault error) {
	for key, value := range node {
		if slices.Contains(dataKeys, key) && (value != nil || key == "default" || key == "const") {
			continue
		}
		switch value := value.(type) {
		case nil:
			delete(node, key)
		case string:
			if _, err := regexp.Compile(value); key == "pattern" && err != nil { // of another dialect
				delete(node, key)
			} else if key == "description" || key == "title" {
				node[key] = cleanText(value, maxDescription)
			}
		case []any:
			for _, child := range value {
				fault = cmp.Or(fault, repairChild(child))
			}
			if len(value) == 0 && key == "properties" { // PHP encodes an empty map so
				node[key] = map[string]any{}
			}
		case map[string]any:
			if !slices.Contains(schemaMaps, key) {
				fault = cmp.Or(fault, repairNode(value))
				continue
			}
			for name, child := range value {
				if child == nil || child == true {
					value[name] = map[string]any{}
				}
				fault = cmp.Or(fault, repairChild(child))
			}
		}
	}
	types, isList := node["type"].([]any)
	if !isList && node["type"] != nil {
		types = []any{node["type"]}
	}
	for _, name := range types {
		switch {
		case name == "array" && (node["items"] == nil || node["items"] == true):
			node["items"] = map[string]any{}
		case name == "object" && node["properties"] == nil:
			node["properties"] = map[string]any{}
		case !slices.Contains(typeNames, name):
			fault = fmt.Errorf("unknown type %q", fmt.Sprint(name))
		}
	}
	properties, _ := node["properties"].(map[string]any)
	required, _ := node["required"].([]any)
	for _, name := range required {
		if name, isText := name.(string); isText && properties != nil && properties[name] == nil {
			properties[name] = map[string]any{}
		}
	}
	return fault
}

// repairChild repairs a value that may be a schema.
func repairChild(value any) error {
	node, isObject := value.(map[string]any)
	if !isObject {
		return nil
	}
	return repairNode(node)
}

// flatten moves the properties of the schemas that the root is composed of to the root itself, as providers refuse
// composition there.
func flatten(root map[string]any) error {
	properties, isObject := root["properties"].(map[string]any)
	if !isObject || root["$ref"] != nil {
		return errors.New("it has no properties of its own")
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		parts, _ := root[key].([]any)
		for _, part := range parts {
			part, _ := part.(map[string]any)
			own, _ := part["properties"].(map[string]any)
			for name, property := range own {
				if other := properties[name]; other == nil {
					properties[name] = property
				} else if !reflect.DeepEqual(other, property) {
					properties[name] = map[string]any{"anyOf": []any{other, property}}
				}
			}
		}
	}
	for _, key := range []string{"$schema", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "enum", "const"} {
		delete(root, key)
	}
	return nil
}

// renderResult returns the result of a tool as text for the model. Images, audio and blobs are described: their bytes mean
// nothing to the model and would fill its context.
func renderResult(result *sdk.CallToolResult) string {
	var parts []string
	for _, content := range result.Content {
		if part := renderContent(content); part != "" && !repeats(content, result.StructuredContent) {
			parts = append(parts, part)
		}
	}
	if result.StructuredContent != nil {
		parts = append(parts, encode(result.StructuredContent))
	}
	return cmp.Or(strings.Join(parts, "\n\n"), "(the tool returned no content)")
}

func renderContent(content sdk.Content) string {
	switch content := content.(type) {
	case *sdk.TextContent:
		return content.Text
	case *sdk.ImageContent:
		return describeData("image: ", content.MIMEType, content.Data)
	case *sdk.AudioContent:
		return describeData("audio: ", content.MIMEType, content.Data)
	case *sdk.ResourceLink:
		facts := []string{content.URI, content.Name, content.Title, content.Description, content.MIMEType}
		facts = slices.DeleteFunc(facts, func(fact string) bool { return fact == "" })
		return fmt.Sprintf("[link: %s]", strings.Join(facts, ", "))
	case *sdk.EmbeddedResource:
		switch resource := content.Resource; {
		case resource == nil:
			return ""
		case resource.Blob != nil:
			return describeData("resource: "+resource.URI+", ", resource.MIMEType, resource.Blob)
		default:
			return fmt.Sprintf("[resource: %s]\n%s", resource.URI, resource.Text)
		}
	default:
		return fmt.Sprintf("[content of type %T, not shown]", content)
	}
}

func describeData(what, mimeType string, data []byte) string {
	return fmt.Sprintf("[%s%s, %d bytes, not shown]", what, cmp.Or(mimeType, "unknown type"), len(data))
}

// repeats reports whether the content is text with the same value as the structured content, as the protocol recommends.
func repeats(content sdk.Content, structured any) bool {
	text, isText := content.(*sdk.TextContent)
	if !isText || structured == nil {
		return false
	}
	var value any
	return json.Unmarshal([]byte(text.Text), &value) == nil && reflect.DeepEqual(value, structured)
}

// encode returns a value that was JSON before as JSON, without escapes for HTML.
func encode(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return strings.TrimSuffix(text.String(), "\n")
}
