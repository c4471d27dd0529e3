package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// newRecorder returns the body with which a handler answers.
func newRecorder(handler http.Handler, method, path string) []byte {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(method, path, nil))
	return recorder.Body.Bytes()
}

// code returns the error code of an answer, 0 for none; streamed answers begin with "data: ".
func code(text string) int {
	if _, event, streamed := strings.Cut("\n"+text, "\ndata:"); streamed {
		text = event
	}
	var answer struct{ Error struct{ Code int } }
	_ = json.NewDecoder(strings.NewReader(text)).Decode(&answer)
	return answer.Error.Code
}

func TestComplexRequestsAreRefusedBeforeTheLibraryReadsThem(t *testing.T) {
	t.Parallel()
	server := start(t)
	nested := func(body, member string, depth int) string {
		value := strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
		return strings.Replace(body, `"params":{`, `"params":{"`+member+`":`+value+`,`, 1)
	}
	for version, body := range map[string]string{"1.0": sendMessage, "0.3": legacyMessage} {
		if text := server.call(t, version, nested(body, "metadata", maxDepth-2)); code(text) != 0 {
			t.Errorf("%s, at the limit: got %s", version, text)
		}
		data := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
		for _, body := range []string{
			nested(body, "metadata", maxDepth-1),
			nested(body, "metadata", 9000),
			strings.Replace(body, `"parts":[`, `"parts":[{"kind":"data","data":`+data+`},`, 1),
			data,
			strings.Replace(body, `"parts":[`, `"parts":[{"kind":"data","data":[`+strings.Repeat("1,", maxTokens)+`1]},`, 1),
		} {
			status, text := server.send(t, http.MethodPost, "/a2a", version, body)
			if status != http.StatusBadRequest || code(text) != codeInvalidRequest {
				t.Errorf("%s: status %d: %s", version, status, text)
			}
		}
	}
	quoted := strings.Replace(sendMessage, "hi", strings.Repeat(`[{\"\\`, 1000), 1)
	if text := server.call(t, "1.0", quoted); code(text) != 0 {
		t.Errorf("brackets within a text: got %s", text)
	}
}

// The methods of both protocols with valid parameters.
var calls = map[string]map[string]string{
	"1.0": {
		"SendMessage":                      `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"hi"}]},"configuration":{},"metadata":{}}`,
		"SendStreamingMessage":             `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"data":{}},{"raw":"YQ=="},{"url":"http://127.0.0.1:1"}]}}`,
		"GetTask":                          `{"id":"x","historyLength":1}`,
		"ListTasks":                        `{"contextId":"x"}`,
		"CancelTask":                       `{"id":"x"}`,
		"SubscribeToTask":                  `{"id":"x"}`,
		"CreateTaskPushNotificationConfig": `{"taskId":"x","url":"http://127.0.0.1:1","authentication":{"scheme":"Bearer"}}`,
		"GetTaskPushNotificationConfig":    `{"taskId":"x","id":"x"}`,
		"ListTaskPushNotificationConfigs":  `{"taskId":"x"}`,
		"DeleteTaskPushNotificationConfig": `{"taskId":"x","id":"x"}`,
		"GetExtendedAgentCard":             `{}`,
	},
	"0.3": {
		"message/send": `{"message":{"messageId":"1","role":"user","kind":"message","parts":[{"kind":"text","text":"hi"}]},"configuration":{"blocking":true}}`,
		"message/stream": `{"message":{"messageId":"1","role":"user","kind":"message","parts":[{"kind":"data","data":{}},` +
			`{"kind":"file","file":{"bytes":"YQ=="}},{"kind":"file","file":{"uri":"http://127.0.0.1:1"}}]},` +
			`"configuration":{"pushNotificationConfig":{"url":"http://127.0.0.1:1","authentication":{"schemes":["Bearer"]}}}}`,
		"tasks/get":                           `{"id":"x","historyLength":1}`,
		"tasks/cancel":                        `{"id":"x"}`,
		"tasks/resubscribe":                   `{"id":"x"}`,
		"tasks/pushNotificationConfig/set":    `{"taskId":"x","pushNotificationConfig":{"url":"http://127.0.0.1:1"}}`,
		"tasks/pushNotificationConfig/get":    `{"id":"x","pushNotificationConfigId":"x"}`,
		"tasks/pushNotificationConfig/list":   `{"id":"x"}`,
		"tasks/pushNotificationConfig/delete": `{"id":"x","pushNotificationConfigId":"x"}`,
		"agent/getAuthenticatedExtendedCard":  `{}`,
	},
}

// variants returns a JSON value in which one part is replaced, for every part and every replacement.
func variants(value any, replacements []any) []any {
	found := slices.Clone(replacements)
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			without := maps.Clone(value)
			delete(without, name)
			found = append(found, without)
			for _, variant := range variants(member, replacements) {
				changed := maps.Clone(value)
				changed[name] = variant
				found = append(found, changed)
			}
		}
	case []any:
		for i, item := range value {
			for _, variant := range variants(item, replacements) {
				changed := slices.Clone(value)
				changed[i] = variant
				found = append(found, changed)
			}
		}
	}
	return found
}

func TestNoParametersMakeTheLibraryPanic(t *testing.T) {
	t.Parallel()
	server := start(t, func(s *Server) { s.Capabilities.Streaming, s.Capabilities.PushNotifications = true, true })
	for version, methods := range calls {
		for method, params := range methods {
			var valid any
			if err := json.Unmarshal([]byte(params), &valid); err != nil {
				t.Fatal(err)
			}
			for _, variant := range variants(valid, []any{nil, 7.0, "x", "", []any{}, []any{nil}, map[string]any{}}) {
				body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": variant})
				if text := server.call(t, version, string(body)); code(text) == -32603 {
					t.Errorf("%s: %s\n\t%s", version, body, text)
				}
			}
		}
	}
	_ = server.stop()
	if log := server.log.String(); strings.Contains(log, "panic") {
		t.Errorf("logged %.3000s", log)
	}
}

func TestInvalidParametersAreNamedSo(t *testing.T) {
	t.Parallel()
	server := start(t, func(s *Server) { s.Capabilities.Streaming = true })
	for version, methods := range calls {
		for method := range methods {
			if strings.Contains(method, "Extended") || strings.Contains(strings.ToLower(method), "pushnotification") {
				continue // not served here
			}
			for _, params := range []string{"", `,"params":null`, `,"params":[]`, `,"params":"x"`, `,"params":7`} {
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":"a","method":%q%s}`, method, params)
				text := server.call(t, version, body)
				if code(text) != -32602 || !strings.Contains(text, `"id":"a"`) {
					t.Errorf("%s: %s: got %s", version, body, text)
				}
			}
		}
		for _, body := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"no/such"}`, `{"jsonrpc":"2.0","id":1,"method":"NoSuch","params":{}}`,
		} {
			if text := server.call(t, version, body); code(text) != -32601 {
				t.Errorf("%s: %s: got %s", version, body, text)
			}
		}
		if text := server.call(t, version, `{"jsonrpc":"2.0","id":1,"method":`); code(text) != -32700 {
			t.Errorf("%s: half a request: got %s", version, text)
		}
	}
	for _, message := range []string{`null`, `{"messageId":"1","role":"ROLE_USER","parts":[null]}`, `{"messageId":"1","role":"user","parts":[null]}`, `7`} {
		for version, method := range map[string]string{"1.0": "Send%sMessage", "0.3": "message/%s"} {
			for _, kind := range []string{"", "Streaming"} {
				name := fmt.Sprintf(method, kind)
				if version == "0.3" {
					name = map[string]string{"": "message/send", "Streaming": "message/stream"}[kind]
				}
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"message":%s}}`, name, message)
				if text := server.call(t, version, body); code(text) != -32602 {
					t.Errorf("%s: %s: got %s", version, body, text)
				}
			}
		}
	}
}

// Large messages one after another leave no more behind than the store may keep.
func TestMemoryIsBounded(t *testing.T) {
	const budget = 1 << 20
	store := NewStore(Retention{MaxCompleted: 1000, MaxBytes: budget, MaxWaitingBytes: budget})
	server := startWith(t, store)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 48 {
		text := strings.Repeat("x", 128<<10)
		if i%2 == 0 {
			text = `ask"},{"text":"` + text
		}
		if answer := server.call(t, "1.0", strings.Replace(sendMessage, "hi", text, 1)); code(answer) != 0 {
			t.Fatalf("got %.300s", answer)
		}
	}
	runtime.GC()
	runtime.GC() // pools are emptied by the second
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 3*budget {
		t.Errorf("%d KiB are kept in %d tasks", kept>>10, len(store.records))
	}
}
