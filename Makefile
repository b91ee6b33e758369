# Single commands, the same that .ci/run calls. make help lists them.

.PHONY: help build test test-parts race campaign vet staticcheck fmt fix bench bench-once fuzz oracle cover parts newest man ci

help: ## list the commands
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

build: ## build bin/fovea, reproducibly
	CGO_ENABLED=0 go build -trimpath -o bin/fovea ./cmd/fovea

test: ## run the tests of the main module, thinned; installs nothing, and says what it left out
	./.ci/test

test-parts: ## run what make test left out, with real programs; installs these where it may
	./.ci/test-parts

race: ## run tests under the race detector, of the packages that start goroutines
	./.ci/race

CAMPAIGNS = Campaign|EveryOperationByEveryName|NobodyReadsWhatIsWithheld|NoSurfaceReadsWhatIsWithheld|NoFaceTellsWhatIsWithheld

campaign: ## run the reliability campaigns at length (FOVEA_SEED draws others)
	FOVEA_CAMPAIGN=long go test -timeout 4h -v -run '$(CAMPAIGNS)' ./test ./api ./api/ops ./cmd/fovea ./internal/graph ./internal/write ./internal/daemon ./internal/mcpserver ./org ./window
	go test -run '^$$' -fuzz '^FuzzRequests$$' -fuzztime 5m -parallel 2 ./internal/httpapi
	go test -run '^$$' -fuzz '^FuzzWeb$$' -fuzztime 5m -parallel 2 ./internal/mcpserver

vet: ## run go vet
	go vet ./...

staticcheck: ## run staticcheck with all checks
	go tool staticcheck -checks all,-ST1000 ./...

fmt: ## format the Go files
	gofmt -w .

fix: ## apply the modernizers until nothing is left, then format
	go fix ./... && go fix ./... && gofmt -w .

bench: ## run the benchmarks, with allocations
	go test -run '^$$' -bench . -benchmem ./...

bench-once: ## run each benchmark once on small input, to see that it works
	./.ci/bench

fuzz: ## run each fuzz target for FUZZTIME (20s)
	./.ci/fuzz

oracle: ## run the differential tests against independent implementations
	cd oracle && go test ./...

cover: ## show the share of statements that the tests run
	mkdir -p .cache && go test -coverpkg ./... -coverprofile .cache/cover.out ./... && go tool cover -func .cache/cover.out | tail -n 1

parts: ## install the programs that make test-parts uses, where it may; eval what it prints
	@./.ci/parts

newest: ## run the test of the coding agents with their newest versions; fails nothing
	@./.ci/newest

man: ## make a manual page of each verb in dist/man
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) FOVEA_MAN=$(CURDIR)/dist/man go test -count=1 -run '^TestManPages$$' ./cmd/fovea

ci: ## run every gate
	./.ci/run
