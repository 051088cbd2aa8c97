package atomicfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/internal/atomicfile"
)

func Example() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	report := filepath.Join(dir, "report.json")

	err := atomicfile.Write(report, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "{}")
		return err
	})
	data, _ := os.ReadFile(report)
	fmt.Printf("%s%v\n", data, err)

	// A report that cannot be finished leaves the one before as it was.
	_ = atomicfile.Write(report, func(w io.Writer) error {
		fmt.Fprintln(w, `{"cases": [`)
		return errors.New("the third case cannot be written")
	})
	data, _ = os.ReadFile(report)
	fmt.Printf("%s", data)
	// Output:
	// {}
	// <nil>
	// {}
}

// names lists a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestAFileIsWrittenWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.json")
	for _, text := range []string{"first", "", "a longer third one"} {
		require.NoError(t, atomicfile.WriteFile(path, []byte(text)))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, text, string(data))
		assert.Equal(t, []string{"report.json"}, names(t, dir))
	}
}

func TestAnErrorLeavesEverythingAsItWas(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.json")
	broken := errors.New("broken")
	fail := func(w io.Writer) error {
		_, _ = w.Write(bytes.Repeat([]byte("x"), 1<<20))
		return broken
	}
	assert.ErrorIs(t, atomicfile.Write(path, fail), broken)
	assert.Empty(t, names(t, dir))
	require.NoError(t, atomicfile.WriteFile(path, []byte("old")))
	assert.EqualError(t, atomicfile.Write(path, fail), "write "+path+": broken")
	assert.Panics(t, func() { _ = atomicfile.Write(path, func(io.Writer) error { panic("x") }) })
	assert.Equal(t, []string{"report.json"}, names(t, dir))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "old", string(data))

	err = atomicfile.WriteFile(dir, nil)
	assert.EqualError(t, err, "write "+dir+": a file is needed, found a folder")
	err = atomicfile.WriteFile(filepath.Join(path, "none", "x"), nil)
	require.Error(t, err, "a folder cannot be made in a file")
	assert.True(t, strings.HasPrefix(err.Error(), "write "+filepath.Join(path, "none", "x")+": "), err)
	err = atomicfile.WriteFile(filepath.Join(dir, "none")+string(filepath.Separator), nil)
	assert.ErrorContains(t, err, "a file is needed, found a folder", "a name that ends as a folder's does")
	assert.Equal(t, []string{"report.json"}, names(t, dir))
}

func TestFoldersOnTheWayAreMade(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "2026", "05", "report.json")
	require.NoError(t, atomicfile.Check(path))
	assert.Empty(t, names(t, dir), "a check makes nothing")
	for _, text := range []string{"first", "second"} {
		require.NoError(t, atomicfile.WriteFile(path, []byte(text)))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, text, string(data))
	}
	t.Chdir(dir)
	require.NoError(t, atomicfile.WriteFile("bare.json", nil))
	require.NoError(t, atomicfile.WriteFile(filepath.Join("a", "..", "b", "report.json"), nil))
	assert.Equal(t, []string{"2026", "b", "bare.json"}, names(t, dir))
}

func TestACheckTellsWhereNothingCanBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o444))
	sealed := filepath.Join(dir, "sealed")
	require.NoError(t, os.Mkdir(sealed, 0o555))
	for _, tt := range []struct {
		name, why, path, want string
	}{
		{"a file that is there", "it is replaced, whatever its permissions are", file, ""},
		{"a file that is not", "its folder is there", filepath.Join(dir, "new"), ""},
		{"a bare name", "the folder is the current one", "new", ""},
		{"folders that are not there", "they would be made", filepath.Join(dir, "a", "b", "new"), ""},
		{"a device", "it is written straight", os.DevNull, ""},
		{"a folder", "it is no file", dir, "a file is needed, found a folder"},
		{"the current folder", "it is no file", ".", "a file is needed, found a folder"},
		{"a name that ends as a folder's does", "it is no file", filepath.Join(dir, "new") + "/", "a file is needed, found a folder"},
		{"no name", "there is nothing to write", "", "a file is needed"},
		{"a file in a file", "no folder can be made there", filepath.Join(file, "new"), " "},
		{"a file in a folder in a file", "the same", filepath.Join(file, "a", "new"), " "},
		{"a folder that takes no files", "the file could not be made", filepath.Join(sealed, "new"), "permission denied"},
		{"a folder in it", "the same", filepath.Join(sealed, "a", "new"), "permission denied"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want == "permission denied" && (runtime.GOOS == "windows" || os.Geteuid() == 0) {
				t.Skip("who is running this may write everywhere")
			}
			err := atomicfile.Check(tt.path)
			if tt.want == "" {
				assert.NoError(t, err, tt.why)
				return
			}
			require.Error(t, err, tt.why)
			assert.True(t, strings.HasPrefix(err.Error(), "write "+tt.path+": "), err)
			assert.ErrorContains(t, err, tt.want, tt.why)
		})
	}
	assert.Equal(t, []string{"file", "sealed"}, names(t, dir), "a check makes nothing")
}

func TestWhatADeadWriterLeftIsTakenAway(t *testing.T) {
	for _, name := range []string{"report.json", strings.Repeat("x", 250)} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		// Find the temporary name by looking while the file is being written.
		var temp []string
		require.NoError(t, atomicfile.Write(path, func(io.Writer) error {
			temp = names(t, dir)
			return nil
		}))
		require.Len(t, temp, 1)
		assert.True(t, strings.HasPrefix(temp[0], ".") && strings.HasSuffix(temp[0], ".karat-tmp"), temp[0])

		require.NoError(t, os.WriteFile(filepath.Join(dir, temp[0]), []byte("half a rep"), 0o400))
		require.NoError(t, atomicfile.WriteFile(path, []byte("new")))
		assert.Equal(t, []string{name}, names(t, dir))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "new", string(data))
	}
}

func TestPermissionsAreKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such permissions here")
	}
	path := filepath.Join(t.TempDir(), "x")
	require.NoError(t, atomicfile.WriteFile(path, nil))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Zero(t, info.Mode().Perm()&^0o644)
	require.NoError(t, os.Chmod(path, 0o640))
	require.NoError(t, atomicfile.WriteFile(path, []byte("x")))
	info, err = os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o640), info.Mode().Perm())
}

func TestALinkIsFollowedByPathAndReplacedInAFolder(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	require.NoError(t, os.Mkdir(inner, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "outside"), []byte("old"), 0o644))
	link := filepath.Join(inner, "link")
	if err := os.Symlink(filepath.Join("..", "outside"), link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	read := func(path string) string {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(data)
	}
	require.NoError(t, atomicfile.WriteFile(link, []byte("by path")))
	assert.Equal(t, "by path", read(filepath.Join(dir, "outside")))

	root, err := os.OpenRoot(inner)
	require.NoError(t, err)
	defer root.Close()
	require.NoError(t, atomicfile.WriteIn(root, "link", []byte("in the folder")))
	assert.Equal(t, "by path", read(filepath.Join(dir, "outside")), "nothing outside is written")
	assert.Equal(t, "in the folder", read(link))

	require.NoError(t, os.Mkdir(filepath.Join(inner, "sub"), 0o755))
	require.NoError(t, atomicfile.WriteIn(root, "sub/x", []byte("x")))
	assert.EqualError(t, atomicfile.WriteIn(root, "sub", nil), "write sub: a file is needed, found a folder")
	assert.Equal(t, "x", read(filepath.Join(inner, "sub", "x")))
	assert.Error(t, atomicfile.WriteIn(root, "../outside", []byte("x")))
	require.NoError(t, os.Symlink("..", filepath.Join(inner, "up")))
	assert.Error(t, atomicfile.WriteIn(root, "up/outside", []byte("x")))
	assert.Equal(t, "by path", read(filepath.Join(dir, "outside")))
}

func TestWhatIsNoFileIsWrittenStraight(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no /dev/null here")
	}
	require.NoError(t, atomicfile.WriteFile(os.DevNull, []byte("x")))
	info, err := os.Stat(os.DevNull)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&fs.ModeDevice)
}

func TestManyWritersOfOneFileLeaveOneOfTheirs(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.json")
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for range 10 {
				assert.NoError(t, atomicfile.WriteFile(path, bytes.Repeat([]byte{byte('a' + i)}, 100_000)))
			}
		})
	}
	wait.Wait()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Len(t, data, 100_000)
	assert.Equal(t, bytes.Repeat(data[:1], 100_000), data)
	assert.Equal(t, []string{"report.json"}, names(t, dir))
}

// TestMain makes the test binary a writer that never ends, for the test that
// kills it.
func TestMain(m *testing.M) {
	if path := os.Getenv("ATOMICFILE_WRITE"); path != "" {
		for i := 0; ; i++ {
			err := atomicfile.WriteFile(path, bytes.Repeat([]byte{byte('a' + i%26)}, 200_000))
			if err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			if i == 0 {
				fmt.Println("started")
			}
		}
	}
	os.Exit(m.Run())
}

func TestAKilledWriterTearsNothing(t *testing.T) {
	binary, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	path := filepath.Join(dir, "report.json")
	stale := 0
	for i := range 25 {
		cmd := exec.Command(binary)
		cmd.Env = append(os.Environ(), "ATOMICFILE_WRITE="+path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		started := make([]byte, len("started"))
		_, err = io.ReadFull(out, started)
		require.NoError(t, err)
		require.Equal(t, "started", string(started))
		time.Sleep(time.Duration(i) * 311 * time.Microsecond) // die at ever another step
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()

		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Len(t, data, 200_000)
		require.Equal(t, bytes.Repeat(data[:1], 200_000), data, "torn")
		require.LessOrEqual(t, len(names(t, dir)), 2, "at most one temporary file")
		stale += len(names(t, dir)) - 1
	}
	t.Logf("%d of 25 kills left a temporary file", stale)
	require.NoError(t, atomicfile.WriteFile(path, []byte("whole")))
	assert.Equal(t, []string{"report.json"}, names(t, dir))
}
