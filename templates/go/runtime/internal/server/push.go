package server

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
)

const (
	webhookTimeout = 5 * time.Second // a task waits for its notifications, which keeps their order
	webhookPause   = time.Minute     // during which a webhook that failed gets states of tasks only
)

// webhooks sends push notifications. A failure is logged, without the address, which may contain a secret.
type webhooks struct {
	sender push.Sender
	logger *slog.Logger

	mu     sync.Mutex
	paused map[string]time.Time // address: until when
}

func newWebhooks(logger *slog.Logger) *webhooks {
	sender := push.NewHTTPPushSender(&push.HTTPSenderConfig{Timeout: webhookTimeout, FailOnError: true})
	return &webhooks{sender: sender, logger: logger, paused: map[string]time.Time{}}
}

// checkWebhook refuses an address that the library would refuse too, but write to the log as it is.
func checkWebhook(config *a2a.PushConfig) error {
	address, err := url.Parse(config.URL)
	if err != nil || address.Host == "" || (address.Scheme != "http" && address.Scheme != "https") {
		return a2a.NewError(a2a.ErrInvalidParams, "the URL of the push notification must be an http or https URL")
	}
	return nil
}

// SendPush implements push.Sender. It never fails: a task does not depend on who hears of it.
func (w *webhooks) SendPush(ctx context.Context, config *a2a.PushConfig, event a2a.Event) error {
	w.mu.Lock()
	paused := time.Now().Before(w.paused[config.URL])
	w.mu.Unlock()
	if _, ok := event.(*a2a.TaskArtifactUpdateEvent); ok && paused {
		return nil
	}
	err := w.sender.SendPush(ctx, config, event)
	if err == nil {
		return nil
	}
	now := time.Now()
	w.mu.Lock()
	maps.DeleteFunc(w.paused, func(_ string, until time.Time) bool { return until.Before(now) })
	w.paused[config.URL] = now.Add(webhookPause)
	w.mu.Unlock()
	var host string
	if address, parseErr := url.Parse(config.URL); parseErr == nil {
		host = address.Host
	}
	w.logger.Warn("push notification not delivered", "task", event.TaskInfo().TaskID, "host", host, "error", reason(err))
	return nil
}

// reason returns the text of an error without addresses.
func reason(err error) string {
	var failed *url.Error
	var network net.Error
	switch {
	case !errors.As(err, &failed):
		return err.Error() // the status of the answer
	case errors.As(failed.Err, &network):
		return failed.Err.Error()
	default:
		return "the request failed"
	}
}
