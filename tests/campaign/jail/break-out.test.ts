/** Native code in the jail: what a function could do that had broken out of its runtime. Every attempt is first shown to work without the jail. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openJail } from '#platform/jail'
import { openLog } from '#platform/log'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { type Probe, runFree, runJailed } from './run-probe.ts'

const canRun = await hasJail()
const jailFolders = path.join(tmpdir(), 'kherad-jail-')
const root = path.resolve(import.meta.dirname, '../../..')

test.runIf(canRun)(
  'a program finds no file, process, socket, network, signal or environment of the machine',
  async () => {
    await using outside = await listening()
    const probe = path.join(root, 'src/platform/jail/self-test-process.ts')
    const own = [String(outside.port), outside.socket, String(process.pid), outside.secret]
    const found = {
      program: process.execPath,
      args: ['--no-warnings', probe, ...own],
      jailedArgs: ['--no-warnings', '--max-old-space-size=64', '/probe.ts', ...own],
      readable: [
        { from: probe, to: '/probe.ts' },
        { from: path.join(root, 'package.json'), to: '/package.json' },
      ],
    }
    let signals = 0
    const onSignal = () => void signals++
    process.on('SIGURG', onSignal)
    onTestFinished(() => void process.off('SIGURG', onSignal))
    const free = JSON.parse(await runFree(found)) as string[]
    const everywhere = ['file', 'passwords', 'processes', 'parent', 'environment', 'writing', 'starting']
    expect(free).toEqual(expect.arrayContaining([...everywhere, 'socket', 'network', 'datagram']))
    await expect.poll(() => signals).toBe(1)
    expect(JSON.parse(await runJailed(found))).toEqual([])
    expect(signals).toBe(1)
  },
)

test.runIf(canRun)('the test of the jail deletes what tests have left whose server was killed', async () => {
  const [left, underWay] = [await mkdtemp(jailFolders), await mkdtemp(jailFolders)]
  onTestFinished(() => rm(underWay, { recursive: true }))
  await writeFile(path.join(left, 'secret'), 'x')
  const longAgo = Date.now() / 1_000 - 2 * 60 * 60
  await utimes(left, longAgo, longAgo)
  using again = openJail(openLog('silent'), { waits: { maxWaitMs: 60_000, pauseMs: 10_000 } })
  expect(await again.state()).toMatchObject({ kind: 'jailed' })
  expect([existsSync(left), existsSync(underWay)]).toEqual([false, true])
})

/** System calls by number, on x64 and arm64, with arguments that are harmless where they are allowed. */
const calls: Record<string, [x64: number | null, arm64: number | null, ...args: (number | string)[]]> = {
  'socket inet': [41, 198, 2, 1, 0],
  'socket inet6': [41, 198, 10, 1, 0],
  'socket netlink': [41, 198, 16, 3, 0],
  'socket packet': [41, 198, 17, 3, 0],
  'unshare user': [272, 97, 0x10000000],
  'unshare mount': [272, 97, 0x20000],
  'clone a process': [56, 220, 17, 0, 0, 0, 0],
  'clone into namespaces': [56, 220, 0x10000011, 0, 0, 0, 0],
  'ptrace itself': [101, 117, 0, 0, 0, 0],
  'memory without a file': [319, 279, 'name', 0],
  'shared memory': [29, 194, 0, 4096, 0o1600],
  semaphores: [64, 190, 0, 1, 0o1600],
  queues: [68, 186, 0, 0o1600],
  'descriptor of a process': [434, 434, 1, 0],
  'keys of the kernel': [250, 219, 0, -2, 1],
  'a file that is made': [257, 56, -100, '/tmp/kherad-probe-made', 0o102, 0o600],
  'a folder that is made': [258, 34, -100, '/tmp/kherad-probe-folder', 0o700],
  'a link that is made': [266, 36, '/etc', -100, '/tmp/kherad-probe-link'],
  'page faults of its own': [323, 282, 1],
  'rings of the kernel': [425, 425, 1, 'parameters'],
  'counters of the kernel': [298, 241, 'parameters', 0, -1, -1, 0],
}

/** In a process for each, since some change or double the one that calls; of what was made nothing stays. */
const script = `
my %calls = (CALLS);
for my $name (sort keys %calls) {
  pipe(my $from, my $to);
  my @args = map { $_ eq 'parameters' ? "\\0" x 256 : $_ } @{$calls{$name}};
  my $pid = $ENV{FORKS} ? fork() : 0;
  if (!$pid) {
    $! = 0;
    my $got = syscall(shift @args, @args);
    if ($name =~ /^clone/ && $got == 0) { require POSIX; POSIX::_exit(0) }
    syswrite($to, ($got == -1 ? 'refused ' . ($!+0) : 'works'));
    if ($ENV{FORKS}) { require POSIX; POSIX::_exit(0) }
  }
  waitpid($pid, 0) if $pid;
  close $to; sysread($from, my $said, 100);
  print "$name: $said\\n";
}
unlink '/tmp/kherad-probe-made', '/tmp/kherad-probe-link'; rmdir '/tmp/kherad-probe-folder';
`

const perl = '/usr/bin/perl'

function probeOf(forks: boolean): Probe {
  const column = process.arch === 'arm64' ? 1 : 0
  const rows = Object.entries(calls)
    .filter(([, numbers]) => numbers[column] !== null)
    .map(([name, [x64, arm64, ...args]]) => {
      const words = args.map((arg) => (typeof arg === 'string' ? `"${arg}"` : String(arg)))
      return `'${name}' => [${[column === 0 ? x64 : arm64, ...words].join(', ')}]`
    })
  return {
    program: perl,
    args: ['-e', `$ENV{FORKS} = ${forks ? 1 : 0};${script.replace('CALLS', rows.join(',\n'))}`],
  }
}

const said = (out: string): Map<string, string> =>
  new Map(
    out
      .trim()
      .split('\n')
      .map((line) => line.split(': ', 2) as [string, string]),
  )

test.runIf(canRun)(
  'the kernel refuses every call that leads out, all of which it answers outside',
  async () => {
    expect(existsSync(perl), 'perl is here').toBe(true)
    const free = said(await runFree(probeOf(true)))
    const jailed = said(await runJailed(probeOf(false)))
    expect([...jailed.keys()].toSorted()).toEqual([...free.keys()].toSorted())
    expect([...jailed.values()].filter((answer) => !/^refused (?:1|13|38)$/.test(answer))).toEqual([])
    const shown = [...free].filter(([, answer]) => answer === 'works').map(([name]) => name)
    // Kernels are built without some of them, and plain users lack others.
    for (const [name, answer] of free)
      if (answer !== 'works') console.log(`not shown to work here: ${name} (${answer})`)
    expect(shown).toEqual(
      expect.arrayContaining([
        'socket inet',
        'clone a process',
        'ptrace itself',
        'memory without a file',
        'a file that is made',
      ]),
    )
  },
)

test.runIf(canRun)(
  'a bomb of processes starts none, and one of threads no more than were allowed',
  async () => {
    const forks = {
      program: perl,
      args: [
        '-e',
        'my $n = 0; for (1..100) { my $p = fork(); exit if defined $p && !$p; $n++ if $p } print $n',
      ],
    }
    expect(await runFree(forks)).toBe('100')
    expect(await runJailed(forks)).toBe('0')
    const code = `
    import { Worker } from 'node:worker_threads'
    let started = 0
    const workers = Array.from({ length: 24 }, () => new Promise((resolve) => {
      try {
        const worker = new Worker('setInterval(() => {}, 1000)', { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8, stackSizeMb: 1 } })
        worker.once('online', () => { started++; resolve() })
        worker.once('error', resolve)
      } catch { resolve() }
    }))
    await Promise.all(workers)
    console.log(started)
    process.exit(0)`
    const threads = {
      program: process.execPath,
      args: ['--no-warnings', '--input-type=module', '-e', code],
      // So much that it is not memory that ends them.
      dataBytes: 64_000_000_000,
    }
    expect(Number(await runFree(threads))).toBe(24)
    expect(Number(await runJailed({ ...threads, threads: 200 }))).toBe(24)
    // Where the server is not root the watchdog counts them.
    if (process.getuid?.() === 0)
      expect(Number(await runJailed({ ...threads, threads: 20 }))).toBeLessThan(20)
  },
)

test.runIf(canRun)(
  'memory and open files are bounded by the kernel itself, whatever watches beside it',
  async () => {
    const memory = { program: perl, args: ['-e', 'print length("x" x 200_000_000)'], dataBytes: 100_000_000 }
    expect(await runFree(memory)).toBe('200000000')
    expect(await runJailed(memory)).toBe('')
    const opening =
      'my @all; for (1..400) { open(my $file, "<", "/dev/null") or last; push @all, $file } print scalar @all'
    const files = { program: perl, args: ['-e', opening] }
    expect(await runFree(files)).toBe('400')
    expect(Number(await runJailed(files))).toBeLessThan(256)
  },
)

/** What has to stay out of reach. */
async function listening(): Promise<{ port: number; socket: string; secret: string } & AsyncDisposable> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-outside-'))
  const secret = path.join(folder, 'secret')
  await writeFile(secret, 'x', { mode: 0o600 })
  const socket = path.join(folder, 'socket')
  const servers = [createServer((line) => line.destroy()), createServer((line) => line.destroy())]
  servers[0]!.listen(0, '127.0.0.1')
  servers[1]!.listen(socket)
  await Promise.all(servers.map((server) => once(server, 'listening')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return {
    port: (servers[0]!.address() as { port: number }).port,
    socket,
    secret,
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.close()
    },
  }
}
