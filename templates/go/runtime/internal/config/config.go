// Package config reads settings from environment variables.
package config

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/sethvargo/go-envconfig"
)

// Load sets the fields of a struct that have an `env` tag to the variables of these names, where they are set. The error
// lists every variable with an invalid value.
func Load(config any, lookup func(name string) (string, bool)) error {
	fields := map[string]reflect.Value{}
	collect(reflect.ValueOf(config).Elem(), fields)
	var problems []error
	var latest string // go-envconfig stops at the first error, and names the field instead of the variable
	for {
		err := envconfig.ProcessWith(context.Background(), &envconfig.Config{
			Target: config,
			Lookuper: envconfig.LookuperFunc(func(name string) (string, bool) {
				if _, valid := fields[name]; !valid {
					return "", false
				}
				return lookup(name)
			}),
			Mutators: []envconfig.Mutator{envconfig.MutatorFunc(
				func(_ context.Context, name, _, _, value string) (string, bool, error) {
					latest = name
					value, err := normalize(fields[name], value)
					return value, false, err
				})},
			DefaultOverwrite: true,
			DefaultNoInit:    true,
		})
		if err == nil {
			return errors.Join(problems...)
		}
		problems = append(problems, fmt.Errorf("%s: %w", latest, cause(err)))
		delete(fields, latest)
	}
}

// collect maps every variable to its field.
func collect(group reflect.Value, fields map[string]reflect.Value) {
	for i := range group.NumField() {
		if name, ok := group.Type().Field(i).Tag.Lookup("env"); ok {
			fields[name] = group.Field(i)
		} else if group.Field(i).Kind() == reflect.Struct {
			collect(group.Field(i), fields)
		}
	}
}

// normalize checks a value and returns it as go-envconfig reads it. The library skips empty values, keeps spaces, and takes
// 010 for 8; here an empty text is a text, an empty optional value is none, and nothing else may be empty.
func normalize(field reflect.Value, value string) (string, error) {
	kind := field.Type()
	if kind.Kind() == reflect.String {
		field.SetString(value)
		return value, nil
	}
	value = strings.TrimSpace(value)
	optional := kind.Kind() == reflect.Pointer
	if optional {
		kind = kind.Elem()
	}
	switch {
	case value == "" && optional:
		field.SetZero()
	case value == "":
		return "", errors.New("must not be empty")
	case kind.Kind() == reflect.Int:
		number, err := strconv.Atoi(value)
		if err != nil || number < 0 {
			return "", fmt.Errorf("%q must be a non-negative integer", value)
		}
		return strconv.Itoa(number), nil
	case kind == reflect.TypeFor[time.Duration]():
		if duration, err := time.ParseDuration(value); err != nil || duration <= 0 {
			return "", fmt.Errorf("%q must be a duration above zero, such as 500ms, 30s or 5m", value)
		}
	}
	return value, nil
}

// cause returns the error below the names of fields.
func cause(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(next) {
		if err = next; errors.As(err, new(*strconv.NumError)) && errors.Unwrap(err) == strconv.ErrSyntax {
			break
		}
	}
	return err
}
