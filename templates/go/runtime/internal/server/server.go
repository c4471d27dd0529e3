// Package server answers HTTP requests to the agent.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

const (
	headerTimeout = 10 * time.Second // to the end of a request's headers
	shutdownGrace = 2 * time.Second  // for the last events of streams, once the tasks have ended
	healthPath    = "/health"
)

// Config contains the settings of the server.
type Config struct {
	Host            string        `env:"A2A_SERVER_HOST"`
	Port            int           `env:"A2A_SERVER_PORT"`
	AgentURL        string        `env:"A2A_AGENT_URL"`
	Scheme          string        // of the agent's own address, as a proxy may serve it
	Debug           bool          `env:"A2A_DEBUG"`
	ReadTimeout     time.Duration `env:"A2A_SERVER_READ_TIMEOUT"`
	IdleTimeout     time.Duration `env:"A2A_SERVER_IDLE_TIMEOUT"`
	ShutdownTimeout time.Duration `env:"A2A_SERVER_SHUTDOWN_TIMEOUT"`
	MaxBodyBytes    int           `env:"A2A_SERVER_MAX_BODY_BYTES"`
	MuteHealth      bool          `env:"A2A_SERVER_DISABLE_HEALTHCHECK_LOG"`
	TLSEnabled      bool          `env:"A2A_SERVER_TLS_ENABLED"`
	TLSCertPath     string        `env:"A2A_SERVER_TLS_CERT_PATH"`
	TLSKeyPath      string        `env:"A2A_SERVER_TLS_KEY_PATH"`
}

// Capabilities are the optional parts of the A2A protocol that are switched on.
type Capabilities struct {
	Streaming bool `env:"A2A_CAPABILITIES_STREAMING"`
	//adl:if push

	PushNotifications bool `env:"A2A_CAPABILITIES_PUSH_NOTIFICATIONS"`
	//adl:end
	//adl:if history

	StateTransitionHistory bool `env:"A2A_CAPABILITIES_STATE_TRANSITION_HISTORY"`
	//adl:end
}

// Executor answers messages.
type Executor interface {
	a2asrv.AgentExecutor
	// Drain waits for running tasks, and ends them when ctx ends first.
	Drain(ctx context.Context)
}

// Server listens on its port, but answers only in [Server.Serve].
type Server struct {
	Capabilities Capabilities
	// Ready reports whether the agent's dependencies are available; nil: there are none.
	Ready func() bool
	//adl:if v03
	// CardVersion is the protocol version that the card names for clients of A2A 0.3.
	CardVersion string
	//adl:end

	config   Config
	listener net.Listener
	logger   *slog.Logger
}

// Listen opens the port. Errors name the variable to look at.
func Listen(config Config, logger *slog.Logger) (*Server, error) {
	if config.AgentURL != "" {
		address, err := url.Parse(config.AgentURL)
		if err != nil || (address.Scheme != "http" && address.Scheme != "https") || address.Host == "" ||
			address.User != nil || strings.ContainsAny(config.AgentURL, "?#") {
			return nil, errors.New("A2A_AGENT_URL: must be an http or https URL without user name, query and fragment")
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(config.Host, strconv.Itoa(config.Port)))
	if err != nil {
		return nil, fmt.Errorf("A2A_SERVER_HOST, A2A_SERVER_PORT: %w", err)
	}
	if config.TLSEnabled {
		certificate, err := tls.LoadX509KeyPair(config.TLSCertPath, config.TLSKeyPath)
		if err != nil {
			_ = listener.Close()
			return nil, fmt.Errorf("A2A_SERVER_TLS_CERT_PATH, A2A_SERVER_TLS_KEY_PATH: %w", err)
		}
		listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12})
		config.Scheme = "https"
	}
	return &Server{config: config, listener: listener, logger: logger}, nil
}

// url is where clients send requests to: the configured address, or else this machine's.
func (s *Server) url() string {
	base := strings.TrimRight(s.config.AgentURL, "/")
	if base == "" {
		_, port, _ := net.SplitHostPort(s.listener.Addr().String())
		base = s.config.Scheme + "://" + net.JoinHostPort("localhost", port)
	}
	return strings.TrimSuffix(base, "/a2a") + "/a2a"
}

// Serve answers requests until ctx ends, and then lets running tasks finish within the shutdown timeout.
func (s *Server) Serve(ctx context.Context, executor Executor, store *Store, card *a2a.AgentCard) error {
	routes, err := s.routes(executor, store, card)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           s.logged(routes),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       s.config.ReadTimeout,
		IdleTimeout:       s.config.IdleTimeout,
		ErrorLog:          slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(s.listener) }()
	s.logger.Info("agent listening", "address", s.listener.Addr().String(), "url", s.url())
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}

	limit := s.config.ShutdownTimeout
	s.logger.Info("agent stopping", "limit", limit.String())
	running, cancelRunning := context.WithTimeout(context.Background(), limit)
	defer cancelRunning()
	open, cancelOpen := context.WithTimeout(context.Background(), limit+shutdownGrace)
	defer cancelOpen()
	closed := make(chan error, 1)
	go func() { closed <- server.Shutdown(open) }() // closes the port at once, and idle connections
	executor.Drain(running)
	if err := <-closed; err != nil {
		s.logger.Warn("connections were cut off", "error", err.Error())
		_ = server.Close()
	}
	return nil
}

// CheckHealth asks the agent that runs with this configuration on this machine whether it is healthy.
func CheckHealth(config Config) error {
	scheme := "http"
	if config.TLSEnabled {
		scheme = "https"
	}
	insecure := &tls.Config{InsecureSkipVerify: true} // the certificate names the public host
	client := &http.Client{Timeout: headerTimeout, Transport: &http.Transport{TLSClientConfig: insecure}}
	response, err := client.Get(scheme + "://" + net.JoinHostPort(config.Host, strconv.Itoa(config.Port)) + healthPath)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("the agent answers %s", response.Status)
	}
	return err
}

// logged writes a line for every request.
func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		recorder := &statusRecorder{w, http.StatusOK}
		next.ServeHTTP(recorder, r)
		if !s.config.MuteHealth || r.URL.Path != healthPath {
			s.logger.Info("request", "method", r.Method, "path", r.URL.Path, "status", recorder.status,
				"duration", time.Since(start).Round(time.Microsecond).String())
		}
	})
}

// statusRecorder remembers the status of a response.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (r *statusRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Flush implements http.Flusher, which the library asks for.
func (r *statusRecorder) Flush() { _ = http.NewResponseController(r.ResponseWriter).Flush() }

// Unwrap lets http.ResponseController find the writer below.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
