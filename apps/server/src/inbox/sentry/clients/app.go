// A Go application with Sentry's client, which reports to SENTRY_DSN.
package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/getsentry/sentry-go"
)

func pay() error {
	return fmt.Errorf("card declined: %w", errors.New("no amount"))
}

func crash() {
	defer sentry.Flush(20 * time.Second)
	defer sentry.Recover()
	var items []int
	fmt.Println(items[len(os.Args)+5])
}

func main() {
	options := sentry.ClientOptions{Release: "shop@1.2.3+45", Environment: "staging", AttachStacktrace: true}
	if err := sentry.Init(options); err != nil {
		panic(err)
	}
	sentry.ConfigureScope(func(scope *sentry.Scope) {
		scope.SetTag("flow", "checkout")
		scope.SetUser(sentry.User{ID: "u-1", Email: "ada@example.test", Username: "ada"})
	})
	data := map[string]interface{}{"sku": 7}
	sentry.AddBreadcrumb(&sentry.Breadcrumb{Category: "cart", Message: "added", Level: sentry.LevelInfo, Data: data})
	sentry.CaptureException(pay())
	sentry.CaptureMessage("a message")
	for range []int{1, 2} {
		sentry.CaptureEvent(&sentry.Event{EventID: "00000000000000000000000000000001", Message: "twice"})
	}
	crash()
}
