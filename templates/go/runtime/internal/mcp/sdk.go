package mcp

// This file and sdk_http.go work around faults of github.com/modelcontextprotocol/go-sdk v1.8.0. Each can go when its
// test passes without it.

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// isAnswer tells whether the error is the server's own answer, as opposed to a failure to reach it.
//
// The SDK reports its own failures in the shape of an answer, with codes that it does not export.
func isAnswer(err error) bool {
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) {
		return false
	}
	const clientClosing, serverClosing, rejected = -32003, -32004, -32005
	return answer.Code != clientClosing && answer.Code != serverClosing && answer.Code != rejected
}

// unreadable stands for the input schema of a tool that cannot be decoded.
const unreadable = "unreadable"

// repairResult replaces what the SDK cannot read in the result of a request, and tells whether it did.
//
// The SDK drops all that a call brought for one content block of a kind that it does not know, and a whole list of tools
// for one that it cannot decode.
func repairResult(result json.RawMessage) (repaired json.RawMessage, changed bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(result, new(sdk.CallToolResult)) == nil && json.Unmarshal(result, new(sdk.ListToolsResult)) == nil ||
		json.Unmarshal(result, &fields) != nil {
		return result, false
	}
	repairList(fields, "content", func(block json.RawMessage) any {
		encoded, _ := json.Marshal(map[string]any{"content": []json.RawMessage{block}})
		if json.Unmarshal(encoded, new(sdk.CallToolResult)) == nil {
			return block
		}
		var kind struct{ Type string }
		_ = json.Unmarshal(block, &kind) // a type that cannot be read is shown as an empty one
		return &sdk.TextContent{Text: fmt.Sprintf("[content of type %q, which cannot be shown]", kind.Type)}
	})
	repairList(fields, "tools", func(tool json.RawMessage) any {
		if json.Unmarshal(tool, new(sdk.Tool)) == nil {
			return tool
		}
		var name struct{ Name any }
		_ = json.Unmarshal(tool, &name)
		return &sdk.Tool{Name: fmt.Sprint(name.Name), InputSchema: unreadable}
	})
	repaired, err := json.Marshal(fields)
	return repaired, err == nil
}

// repairList passes the members of a list through repair.
func repairList(fields map[string]json.RawMessage, key string, repair func(json.RawMessage) any) {
	var members []json.RawMessage
	if json.Unmarshal(fields[key], &members) != nil {
		return
	}
	repaired := make([]any, len(members))
	for i, member := range members {
		repaired[i] = repair(member)
	}
	if encoded, err := json.Marshal(repaired); err == nil {
		fields[key] = encoded
	}
}
