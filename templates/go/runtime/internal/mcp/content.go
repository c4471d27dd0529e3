package mcp

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	// maxDepth bounds how deep schemas nest.
	maxDepth = 64
	// minEncoded is the length from which a string in structured content that is base64 counts as data, in bytes.
	minEncoded = 256
)

// remoteTool is a tool as its server offers it, with a schema that every provider of models accepts.
type remoteTool struct {
	tool, title, description string
	schema                   map[string]any
}

// readTools sorts the tools of one server by name, repairs their schemas, and leaves out what cannot be offered.
func readTools(tools []*sdk.Tool) (read []remoteTool, faults []string) {
	seen := map[string]bool{}
	for _, one := range tools {
		schema, err := repairSchema(one.InputSchema)
		switch {
		case one.Name == "":
			err = errors.New("has no name")
		case seen[one.Name]:
			err = errors.New("another tool has that name")
		case one.InputSchema == unreadable:
			err = errors.New("its definition cannot be decoded")
		}
		seen[one.Name] = true
		if err != nil {
			faults = append(faults, fmt.Sprintf("tool %q: %s", cleanText(one.Name, 2*maxName), err))
			continue
		}
		title := one.Title
		if title == "" && one.Annotations != nil {
			title = one.Annotations.Title
		}
		description := cleanText(cmp.Or(one.Description, title), maxDescription)
		read = append(read, remoteTool{one.Name, cleanText(title, maxDescription), description, schema})
	}
	slices.SortFunc(read, func(a, b remoteTool) int { return cmp.Compare(a.tool, b.tool) })
	return read, faults
}

// cleanText takes control and formatting characters out of a text, which could hide or reorder what a person sees of it,
// and cuts it.
func cleanText(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\u200c', r == '\u200d': // the joiners belong to the spelling of some languages
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

// repairSchema returns the schema of a tool's arguments in a form that providers of models accept: an object at the top,
// and within it what is valid and complete. A repair may allow more than the server, which checks its arguments itself,
// but not less. What has no one meaning is an error.
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
	r := &schemaRepair{root: root}
	r.repair(root, maxDepth)
	properties := map[string]any{}
	if required := r.flatten(root, properties, maxDepth); len(required) > 0 {
		root["required"] = required
	}
	if _, isObject := root["properties"].(map[string]any); isObject { // else it is left for the final check
		root["properties"] = properties
	}
	for _, key := range []string{"$schema", "$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "enum", "const"} {
		delete(root, key) // at the top, providers refuse it
	}
	var schema jsonschema.Schema
	encoded, err = json.Marshal(root)
	if err == nil {
		err = json.Unmarshal(encoded, &schema)
	}
	if err == nil {
		_, err = schema.Resolve(nil)
	}
	if err = cmp.Or(r.fault, err); err != nil {
		return nil, fmt.Errorf("its input schema is not valid: %s", cleanText(err.Error(), 200))
	}
	return root, nil
}

// schemaRepair repairs one schema.
type schemaRepair struct {
	root  map[string]any
	fault error
}

// The keywords whose values are schemas, lists of schemas, and schemas by name.
var (
	schemaKeys     = []string{"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"}
	schemaListKeys = []string{"anyOf", "oneOf", "allOf", "prefixItems"}
	schemaMapKeys  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)

// repair repairs a schema and those within it, in place, and returns it. What is no schema is left for the final check.
func (r *schemaRepair) repair(value any, depth int) any {
	node, isObject := value.(map[string]any)
	switch {
	case value == nil || value == true:
		return map[string]any{}
	case value == false:
		return map[string]any{"not": map[string]any{}}
	case depth == 0:
		r.fault = fmt.Errorf("more than %d levels", maxDepth)
		return value
	case !isObject:
		return value
	}
	if tuple, isList := node["items"].([]any); isList { // before 2020
		node["prefixItems"], node["items"] = tuple, nil
	}
	for bound, limit := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		switch node[bound] { // before draft 6
		case true:
			node[bound], node[limit] = node[limit], nil
		case false:
			node[bound] = nil
		}
	}
	for key, value := range node {
		text, _ := value.(string)
		list, isList := value.([]any)
		children, _ := value.(map[string]any)
		_, isFlag := value.(bool)
		_, noPattern := regexp.Compile(text)
		switch {
		case value == nil && key != "default" && key != "const", key == "pattern" && noPattern != nil: // of another dialect
			delete(node, key)
		case key == "description" || key == "title":
			node[key] = cleanText(text, maxDescription)
		case slices.Contains(schemaKeys, key) && (!isFlag || key == "items"):
			node[key] = r.repair(value, depth-1)
		case slices.Contains(schemaMapKeys, key) && isList && len(list) == 0: // PHP writes an empty map so
			node[key] = map[string]any{}
		case slices.Contains(schemaMapKeys, key):
			for name, child := range children {
				children[name] = r.repair(child, depth-1)
			}
		case slices.Contains(schemaListKeys, key):
			for i, child := range list {
				list[i] = r.repair(child, depth-1)
			}
		}
	}
	types, isList := node["type"].([]any)
	if !isList && node["type"] != nil {
		types = []any{node["type"]}
	}
	for _, name := range types {
		needed := map[any]string{"array": "items", "object": "properties"}[name]
		if needed != "" && node[needed] == nil {
			node[needed] = map[string]any{}
		}
		if !slices.Contains([]any{"array", "object", "string", "number", "integer", "boolean", "null"}, name) {
			r.fault = fmt.Errorf("unknown type %q", fmt.Sprint(name))
		}
	}
	properties, _ := node["properties"].(map[string]any)
	for _, name := range names(node["required"]) {
		if properties != nil && properties[name] == nil {
			properties[name] = map[string]any{}
		}
	}
	return node
}

// names returns the texts of a list.
func names(value any) (texts []string) {
	list, _ := value.([]any)
	for _, one := range list {
		if text, isText := one.(string); isText {
			texts = append(texts, text)
		}
	}
	return texts
}

// flatten collects the properties of a schema and of those that it refers to or is composed of, and returns the names of
// the ones that are required in any case.
func (r *schemaRepair) flatten(node, properties map[string]any, depth int) (required []string) {
	if depth == 0 {
		return nil
	}
	own, _ := node["properties"].(map[string]any)
	for name, property := range own {
		if properties[name] == nil {
			properties[name] = property
		}
	}
	required = names(node["required"])
	parts, _ := node["allOf"].([]any)
	if reference, _ := node["$ref"].(string); reference != "" {
		var referred any = r.root
		for _, key := range strings.Split(reference, "/")[1:] {
			within, _ := referred.(map[string]any)
			referred = within[key]
		}
		parts = append(slices.Clone(parts), referred)
	}
	for _, part := range parts {
		part, _ := part.(map[string]any)
		required = append(required, r.flatten(part, properties, depth-1)...)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		branches, _ := node[key].([]any)
		sure := maps.Clone(properties)
		var common []string
		for i, branch := range branches {
			branch, _ := branch.(map[string]any)
			more := map[string]any{}
			needed := r.flatten(branch, more, depth-1)
			for name, property := range more {
				switch other := properties[name]; {
				case other == nil:
					properties[name] = property
				case sure[name] == nil && !reflect.DeepEqual(other, property):
					properties[name] = map[string]any{"anyOf": []any{other, property}}
				}
			}
			if i == 0 {
				common = needed
			}
			common = slices.DeleteFunc(common, func(name string) bool { return !slices.Contains(needed, name) })
		}
		required = append(required, common...)
	}
	slices.Sort(required)
	return slices.Compact(required)
}

// renderResult puts the result of a tool into text for the model. Images, audio and blobs are described: their bytes
// would mean nothing to the model and fill its context.
func renderResult(result *sdk.CallToolResult) string {
	var parts []string
	for _, content := range result.Content {
		if part := renderContent(content); part != "" && !repeats(content, result.StructuredContent) {
			parts = append(parts, part)
		}
	}
	if result.StructuredContent != nil {
		parts = append(parts, encode(withoutData(result.StructuredContent)))
	}
	return cmp.Or(strings.Join(parts, "\n\n"), "(the tool returned no content)")
}

func renderContent(content sdk.Content) string {
	switch content := content.(type) {
	case *sdk.TextContent:
		return content.Text
	case *sdk.ImageContent:
		return fmt.Sprintf("[image: %s]", dataFacts(content.MIMEType, len(content.Data)))
	case *sdk.AudioContent:
		return fmt.Sprintf("[audio: %s]", dataFacts(content.MIMEType, len(content.Data)))
	case *sdk.ResourceLink:
		facts := []string{shortURI(content.URI), content.Name, content.Title, content.Description, content.MIMEType}
		if content.Size != nil {
			facts = append(facts, fmt.Sprintf("%d bytes", *content.Size))
		}
		return fmt.Sprintf("[link: %s]", strings.Join(slices.DeleteFunc(facts, func(fact string) bool { return fact == "" }), ", "))
	case *sdk.EmbeddedResource:
		switch resource := content.Resource; {
		case resource == nil:
			return ""
		case resource.Blob != nil:
			return fmt.Sprintf("[resource: %s, %s]", shortURI(resource.URI), dataFacts(resource.MIMEType, len(resource.Blob)))
		default:
			return fmt.Sprintf("[resource: %s]\n%s", shortURI(resource.URI), resource.Text)
		}
	default:
		return fmt.Sprintf("[content of a kind that cannot be shown: %T]", content)
	}
}

func dataFacts(mimeType string, size int) string {
	return fmt.Sprintf("%s, %d bytes, not shown", cmp.Or(mimeType, "unknown type"), size)
}

// shortURI leaves out the content of a URI that holds it.
func shortURI(uri string) string {
	header, data, found := strings.Cut(uri, ",")
	if found && len(header) >= 5 && strings.EqualFold(header[:5], "data:") {
		return fmt.Sprintf("%s (%d characters, not shown)", header, len(data))
	}
	return uri
}

// repeats tells whether the content is a text that says the same as the structured content, as the protocol recommends.
// The latter is shown then, since data can be told from text in it.
func repeats(content sdk.Content, structured any) bool {
	text, isText := content.(*sdk.TextContent)
	if !isText || structured == nil {
		return false
	}
	var value any
	return json.Unmarshal([]byte(text.Text), &value) == nil && reflect.DeepEqual(value, structured)
}

// encode returns a value as JSON, without escapes for HTML. All values that come here were JSON before.
func encode(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprintf("%q", err.Error())
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// withoutData returns the JSON value with a note in place of each string that is base64 data.
func withoutData(value any) any {
	switch value := value.(type) {
	case map[string]any:
		shown := make(map[string]any, len(value))
		for key, member := range value {
			shown[key] = withoutData(member)
		}
		return shown
	case []any:
		shown := make([]any, len(value))
		for i, member := range value {
			shown[i] = withoutData(member)
		}
		return shown
	case string:
		if short := shortURI(value); short != value {
			return short
		}
		plain := strings.NewReplacer("-", "+", "_", "/", "=", "", "\r", "", "\n", "").Replace(value)
		if data, err := base64.RawStdEncoding.DecodeString(plain); err == nil && len(value) >= minEncoded {
			return fmt.Sprintf("[%s]", dataFacts("base64 data", len(data)))
		}
	}
	return value
}
