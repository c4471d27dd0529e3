package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// brokenSender fails like an HTTP client, and counts.
type brokenSender struct {
	sent int
	err  error
}

func (s *brokenSender) SendPush(_ context.Context, config *a2a.PushConfig, _ a2a.Event) error {
	s.sent++
	return &url.Error{Op: "Post", URL: config.URL, Err: s.err}
}

func TestSilentWebhookIsSparedAndItsAddressKept(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"no answer":          &net.OpError{Op: "dial", Err: errors.New("no answer")},
		"the request failed": errors.New(`failed to parse Location header "https://secret"`),
	} {
		var log bytes.Buffer
		sender := &brokenSender{err: err}
		hooks := newWebhooks(slog.New(slog.NewTextHandler(&log, nil)))
		hooks.sender = sender
		config := &a2a.PushConfig{URL: "https://user:secret@hooks.example/secret?key=secret"}
		task := &a2a.Task{ID: "task", ContextID: "context"}
		piece := a2a.NewArtifactEvent(task, a2a.NewTextPart("text"))
		for _, event := range []a2a.Event{task, piece, piece, a2a.NewStatusUpdateEvent(task, a2a.TaskStateCompleted, nil)} {
			if err := hooks.SendPush(t.Context(), config, event); err != nil {
				t.Error(err)
			}
		}
		if sender.sent != 2 {
			t.Errorf("sent %d notifications, want the two states", sender.sent)
		}
		if text := log.String(); strings.Contains(text, "secret") || !strings.Contains(text, "hooks.example") || !strings.Contains(text, want) {
			t.Errorf("logged %s", text)
		}
	}
}

func TestInvalidWebhookIsRefusedAndStaysOutOfTheLog(t *testing.T) {
	t.Parallel()
	server := start(t, func(s *Server) { s.Capabilities.PushNotifications, s.config.Debug = true, true })
	for _, address := range []string{"http://[secret", "secret", "", "ftp://secret", "https:///secret", "https://a.test/%zz?secret"} {
		hook := `{"url":"` + address + `","token":"secret"}`
		for version, body := range map[string]string{
			"1.0": strings.Replace(sendMessage, `"params":{`, `"params":{"configuration":{"taskPushNotificationConfig":`+hook+`},`, 1),
			"0.3": strings.Replace(legacyMessage, `"params":{`, `"params":{"configuration":{"pushNotificationConfig":`+hook+`},`, 1),
		} {
			if text := server.call(t, version, body); code(text) != -32602 || strings.Contains(text, "secret") {
				t.Errorf("%s: %s: got %s", version, address, text)
			}
		}
		set := `{"jsonrpc":"2.0","id":1,"method":"CreateTaskPushNotificationConfig","params":{"taskId":"x","url":"` + address + `"}}`
		if text := server.call(t, "1.0", set); code(text) != -32602 {
			t.Errorf("%s: got %s", address, text)
		}
	}
	_ = server.stop()
	if log := server.log.String(); strings.Contains(log, "secret") {
		t.Errorf("logged %s", log)
	}
}
