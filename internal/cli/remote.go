// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/remotes"
	"github.com/fovea-memory/fovea/internal/scope"
)

func remoteCommand(s *Session) *cobra.Command {
	c := &cobra.Command{
		Use:   "remote",
		Short: "Keep the memory in step with other machines",
		Long: `A remote is a place that several machines reach: a folder, such as one on a
stick or one that a sync program carries, a folder of a machine behind SSH, a
bucket, a repository of git, or servers of NATS. Each machine writes a log of
its own there, so none can harm what another one wrote. What is written is
sealed by a passphrase, unless you give --plain. As long as a daemon runs, the
machines are in step by themselves.`,
		Example: `  fovea remote add stick /media/stick/notes --passphrase-file pass.txt
  fovea sync
  fovea remote list`,
	}
	return Group(c, verb(s, &cobra.Command{
		Use: "list", Example: "  fovea remote list", Args: NoArguments,
	}, remotes.OpRemotes, nil, printList(s, "no remote yet; fovea remote add NAME URL adds one", func(r *remotes.Remote) {
		s.Out.Row(Column(r.Name, 12), Column(r.Lag(), max(20, len(r.Lag()))), Text(r.URL))
	})), remoteAddCommand(s), carrying(s, &cobra.Command{
		Use: "scrub [NAME]", Example: "  fovea remote scrub team",
		Long: `Scrub compares what is there with what this machine wrote. A daemon does so
every day, and when the servers of a cluster have another leader.`,
	}, remotes.OpScrub), verb(s, &cobra.Command{
		Use: "members NAME", Example: "  fovea remote members team", Args: Args(1, 1, "a remote"),
	}, remotes.OpMembers, nil, printer(s, printMembers)), verb(s, &cobra.Command{
		Use: "admit NAME MEMBER KEY", Example: "  fovea remote admit team box \"$(cat key.pub)\" --seal age1... --for ada",
		Args: Args(3, 3, "a remote, a member and its key"),
		Long: `Admit puts a machine on the list of members of a remote, by its public key: the
line of its file key.pub. The first list makes this machine its owner. From then
on a log that no member signed is not merged, and of a member with --for only
what these agents did.`,
	}, remotes.OpAdmit, nil, printer(s, printMembers)), verb(s, &cobra.Command{
		Use: "expel NAME MEMBER", Example: "  fovea remote expel team box", Args: Args(2, 2, "a remote and a member"),
	}, remotes.OpExpel, nil, func(r *remotes.Members) {
		printMembers(s, r)
		s.Report("who was expelled can still read what was pushed before, and what a machine pushes until it has seen this list;\n" +
			"of a plain remote all. With the credentials of the place it can still delete what is there: change those")
	}), verb(s, &cobra.Command{
		Use: "remove NAME", Example: "  fovea remote remove stick", Args: Args(1, 1, "a remote"),
	}, remotes.OpRemoteRemove, nil, func(r *remotes.Remote) { s.Report("forgot %s; what is at %s stays there", r.Name, r.URL) }))
}

func printMembers(s *Session, r *remotes.Members) {
	s.Report("list %d; where nobody is on it each log is merged", r.Number)
	for _, m := range r.List {
		s.Out.Row(Column(m.Name, 12), Column(cmp.Or(strings.Join(m.Agents, ","), "owner"), 20), Text(m.Key))
	}
}

func remoteAddCommand(s *Session) *cobra.Command {
	file := ""
	var c *cobra.Command
	c = verb(s, &cobra.Command{
		Use: "add NAME URL", Short: "Keep this memory in step with a place",
		Long: `Add prepares the place, or joins one that another machine has prepared. URL is a
folder, ssh://HOST/FOLDER, a bucket as s3://BUCKET/PREFIX, with
?endpoint=https://HOST for another store than Amazon's, a repository as
git+ssh://HOST/PATH or git+https://HOST/PATH, or servers of NATS as
nats://HOST,HOST/NAME. A place that holds another memory is refused, and a
bucket that does not keep conditions of writes.

The passphrase is needed here once, and on each other machine once.`,
		Example: `  fovea remote add stick /media/stick/notes --passphrase-file pass.txt
  fovea remote add box ssh://box.local/srv/notes --plain
  fovea remote add cloud s3://my-notes/fovea --passphrase-file pass.txt`,
		Args: Args(2, 2, "a name and a URL"),
	}, remotes.OpRemoteAdd, func(req *remotes.RemoteAddRequest, a []string) (err error) {
		req.Name = a[0]
		if req.URL, err = RemoteURL(a[1]); err == nil {
			req.Passphrase, err = Passphrase(c.Context(), file)
		}
		return err
	}, func(r *remotes.Remote) {
		how := "sealed"
		if !r.Sealed {
			how = "plain"
		}
		s.Report("%s is %s, %s; fovea sync %s brings both in step", r.Name, r.URL, how, r.Name)
		if r.Keeps {
			s.Report("the bucket keeps versions: what a purge takes out stays there until a rule of the bucket ends old versions")
		}
	})
	c.Flags().StringVar(&file, "passphrase-file", "", "`FILE` with the passphrase of a sealed place on its first line")
	return c
}

// RemoteURL makes a path absolute: who keeps the memory stands elsewhere.
func RemoteURL(text string) (string, error) {
	if strings.Contains(text, "://") || strings.HasPrefix(text, remotes.IPFSPrefix) {
		return text, nil
	}
	return filepath.Abs(text)
}

// Passphrase returns the first line of a file, "" without one.
func Passphrase(ctx context.Context, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := ReadFile(ctx, file)
	first, _, _ := strings.Cut(text, "\n")
	if first = strings.TrimRight(first, "\r"); err == nil && first == "" {
		err = Misusef("%s has no passphrase on its first line", file)
	}
	return first, err
}

func syncCommand(s *Session) *cobra.Command {
	return carrying(s, &cobra.Command{
		Long: `Sync brings in what other machines have written to the remote, as "fovea merge"
does, and then writes there what is new here. What both changed is merged;
of what cannot be, one version wins and the other is kept in the note as a
conflict.`,
		Example: "  fovea sync\n  fovea sync stick",
	}, remotes.OpSync)
}

func pushCommand(s *Session) *cobra.Command {
	return carrying(s, &cobra.Command{Example: "  fovea push stick\n  fovea push ipfs:"}, remotes.OpPush)
}

func pullCommand(s *Session) *cobra.Command {
	return carrying(s, &cobra.Command{Example: "  fovea pull stick\n  fovea pull ipfs:CID"}, remotes.OpPull)
}

// carrying completes the verb of an operation that exchanges commits.
func carrying(s *Session, c *cobra.Command, op api.Op[remotes.SyncRequest, *remotes.SyncResponse]) *cobra.Command {
	c.Args = Args(0, 1, "at most one remote")
	return verbFor(s, c, op, nil, func(req *remotes.SyncRequest, r *remotes.SyncResponse) {
		for _, m := range r.Machines {
			if m.Problem != "" {
				s.Report("%s: %s", m.Name, m.Problem)
			}
			if len(m.Brought) > 0 {
				s.Out.Printf("from %s:\n", OneLine(m.Name))
				printBrought(s, m.Brought)
			}
		}
		if op.Name == "pull" && !slices.ContainsFunc(r.Machines, func(m remotes.Machine) bool { return m.Problem != "" || len(m.Brought) > 0 }) {
			s.Report("nothing new in %s", r.Remote)
		}
		if op.Name == remotes.OpScrub.Name {
			printFiles(s.Out, "damaged", r.Damaged)
			s.Report("%s as written here; %d gone or damaged", scope.Count(r.Read, "object"), len(r.Damaged))
		}
		switch {
		case op.Name == "pull":
		case req.DryRun:
			s.Report("a dry run: %s would be written to %s", scope.Count(int(r.Pushed), "commit"), r.Remote)
		default:
			s.Report("%s written to %s, %d bytes", scope.Count(int(r.Pushed), "commit"), r.Remote, r.Bytes)
		}
		if r.CID != "" {
			s.Out.Printf("%s\n", r.CID)
		}
	})
}
