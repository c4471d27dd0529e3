package config

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

type settings struct {
	Group struct {
		Boolean  bool          `env:"BOOLEAN"`
		Integer  int           `env:"INTEGER"`
		Duration time.Duration `env:"DURATION"`
		Text     string        `env:"TEXT"`
	}
	OptionalInteger *int     `env:"OPTIONAL_INTEGER"`
	OptionalNumber  *float64 `env:"OPTIONAL_NUMBER"`
	Untagged        string
}

// defaults returns settings that are all set, so that a test sees what an empty value does.
func defaults() *settings {
	integer, number := 1, 1.5
	config := &settings{OptionalInteger: &integer, OptionalNumber: &number, Untagged: "kept"}
	config.Group.Boolean, config.Group.Integer, config.Group.Duration, config.Group.Text = true, 1, time.Second, "default"
	return config
}

func load(config *settings, variables map[string]string) error {
	return Load(config, func(name string) (string, bool) {
		value, set := variables[name]
		return value, set
	})
}

func TestValuesAreReadAsTheContractSays(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../../contracts/environment.json")
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Cases []struct {
			Kind, Text string
			Value      any
			Refused    bool
		}
	}
	if err := json.Unmarshal(text, &contract); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, c := range contract.Cases {
		config := defaults()
		fields := map[string]reflect.Value{}
		each(reflect.ValueOf(config).Elem(), func(name string, field reflect.Value) { fields[name] = field })
		variable := strings.ToUpper(strings.ReplaceAll(c.Kind, "-", "_"))
		field, known := fields[variable]
		if !known || c.Text == "nan" { // lists and pairs are text here; what a number may be is checked where it is used
			continue
		}
		checked++
		err := load(config, map[string]string{variable: c.Text})
		if c.Refused {
			if err == nil || !strings.HasPrefix(err.Error(), variable+": ") {
				t.Errorf("%s %q: got %v, want an error that names the variable", c.Kind, c.Text, err)
			}
			continue
		}
		var got any = field.Interface()
		switch value := got.(type) {
		case time.Duration:
			got = json.Number(value.String())
			if parsed, _ := time.ParseDuration(c.Value.(string) + "ns"); parsed == value {
				got = c.Value
			}
		case int:
			got = float64(value)
		case *int:
			if got = nil; value != nil {
				got = float64(*value)
			}
		case *float64:
			if got = nil; value != nil {
				got = *value
			}
		}
		if err != nil || !reflect.DeepEqual(got, c.Value) {
			t.Errorf("%s %q: got %v, %v, want %v", c.Kind, c.Text, got, err, c.Value)
		}
	}
	if checked < 40 {
		t.Errorf("only %d cases were checked", checked)
	}
}

func TestUnsetVariablesLeaveTheDefaults(t *testing.T) {
	t.Parallel()
	config := defaults()
	if err := load(config, nil); err != nil || !reflect.DeepEqual(config, defaults()) {
		t.Errorf("got %+v, %v", config, err)
	}
	empty := new(settings)
	if err := load(empty, nil); err != nil || empty.OptionalInteger != nil || empty.OptionalNumber != nil {
		t.Errorf("got %+v, %v", empty, err)
	}
}

func TestEveryInvalidValueIsListed(t *testing.T) {
	t.Parallel()
	err := load(defaults(), map[string]string{"BOOLEAN": "perhaps", "TEXT": "fine", "INTEGER": "", "OPTIONAL_NUMBER": "hot"})
	if err == nil || strings.Count(err.Error(), "\n") != 2 || !strings.Contains(err.Error(), `parsing "perhaps": invalid syntax`) {
		t.Errorf("got %v", err)
	}
}
