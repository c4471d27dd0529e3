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
// lists every variable with an invalid value; go-envconfig alone would stop at the first and name the field.
func Load(config any, lookup func(name string) (string, bool)) error {
	var faults []error
	each(reflect.ValueOf(config).Elem(), func(name string, field reflect.Value) {
		value, set := lookup(name)
		if !set {
			return
		}
		value, err := normalize(field, value)
		if err == nil {
			err = envconfig.ProcessWith(context.Background(), &envconfig.Config{
				Target:           config,
				Lookuper:         envconfig.MapLookuper(map[string]string{name: value}),
				DefaultOverwrite: true,
				DefaultNoInit:    true,
			})
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
	})
	return errors.Join(faults...)
}

// each visits the fields with an `env` tag, those of nested structs included.
func each(group reflect.Value, visit func(name string, field reflect.Value)) {
	for i := range group.NumField() {
		if name, ok := group.Type().Field(i).Tag.Lookup("env"); ok {
			visit(name, group.Field(i))
		} else if group.Field(i).Kind() == reflect.Struct {
			each(group.Field(i), visit)
		}
	}
}

// normalize checks a value and returns it for go-envconfig, which skips empty values, keeps spaces and reads 010 as 8. Here
// an empty string is a string, an empty optional value is none, and nothing else may be empty.
func normalize(field reflect.Value, value string) (string, error) {
	trimmed := strings.TrimSpace(value)
	switch kind := field.Type(); {
	case kind.Kind() == reflect.String:
		field.SetString(value)
		return value, nil
	case trimmed == "" && kind.Kind() == reflect.Pointer:
		field.SetZero()
	case trimmed == "":
		return "", errors.New("must not be empty")
	case kind.Kind() == reflect.Int, kind == reflect.TypeFor[*int]():
		number, err := strconv.Atoi(trimmed)
		if err != nil || number < 0 {
			return "", fmt.Errorf("%q must be a non-negative integer", trimmed)
		}
		return strconv.Itoa(number), nil
	case kind == reflect.TypeFor[time.Duration]():
		if duration, err := time.ParseDuration(trimmed); err != nil || duration <= 0 {
			return "", fmt.Errorf("%q must be a duration above zero, such as 500ms, 30s or 5m", trimmed)
		}
	}
	return trimmed, nil
}
