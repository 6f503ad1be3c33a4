import { describe, expect, test } from 'vitest'
import type { AnswerState } from '#core/tools'
import type { ToolResult } from '#core/turn'
import { toolsOf } from '../../core/tools/asking.ts'

const { use } = toolsOf('')
type Done = Extract<ToolResult, { error?: undefined }>
const run = (command: unknown, state: AnswerState = {}) => use('bash', { command }, { state })

async function done(command: string, state?: AnswerState) {
  const result = await run(command, state)
  if (result.error) throw new Error(result.content)
  return result.execution!
}

test('a script answers with both outputs and its exit code', async () => {
  const result = await run('printf "سه\\nیک\\n" | sort; echo wrong >&2; exit 3')
  expect(result).toEqual({
    content: 'سه\nیک\n\n[stderr]\nwrong\n\n[exit code 3]',
    results: [],
    execution: { stdout: 'سه\nیک\n', stderr: 'wrong\n', exitCode: 3 },
  })
})

test('files and the folder live as long as the state of the answer, which is plain JSON', async () => {
  let state: AnswerState = {}
  await done(
    'mkdir -p work/sub && cd work && echo AP8= | base64 -d > bytes && echo متن > sub/text && ln -s sub/text link',
    state,
  )
  await done('chmod 700 sub/text', state)
  state = JSON.parse(JSON.stringify(state))
  expect((await done('pwd; cat link; wc -c < bytes; stat -c %a sub/text', state)).stdout).toBe(
    '/home/user/work\nمتن\n2\n700\n',
  )
  await done('rm -r ../work/sub', state)
  expect((await done('find . -type f', state)).stdout).toBe('./bytes\n')
  expect((await done('pwd; ls', {})).stdout).toBe('/home/user\n')
})

test('dates are those of Tehran', async () => {
  expect((await done('date -d 2026-11-20T00:00:00Z +%H:%M')).stdout).toBe('03:30\n')
})

describe('nothing of the host is there:', () => {
  test.each([
    ['its files', 'cat /etc/passwd /etc/hostname; cat < /proc/1/environ'],
    ['this repository', `ls ${process.cwd()}; cat ${process.cwd()}/package.json`],
    ['its network', 'curl http://127.0.0.1; wget http://127.0.0.1; cat < /dev/tcp/127.0.0.1/80'],
    ['its programs', 'node -e 1; python3 -c 1; /usr/bin/node -e 1; sqlite3 x "select 1"; ssh x'],
  ])('%s', async (_, command) => {
    const { stdout, stderr } = await done(command)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/No such file|not found|not available|restricted/i)
  })

  test('its environment', async () => {
    process.env['CANARY_OF_THE_TOOLS'] = 'hunter2'
    expect((await done('env; set; cat /proc/self/environ')).stdout).not.toMatch(
      /hunter2|CANARY|KHERAD|DATABASE/,
    )
  })

  test('the names of JavaScript', async () => {
    const { stdout } = await done(
      'declare -A m; m[__proto__]=1; m[constructor]=2; echo "$(( m[__proto__] + m[constructor] ))"',
    )
    expect(stdout).toBe('3\n')
  })
})

describe('a script cannot hurt the server by', () => {
  test.each([
    ['a loop without end', 'while true; do :; done'],
    ['a fork bomb', ':(){ :|:& };:'],
    ['recursion', 'f(){ f; }; f'],
    ['a string of 1 GB', 'x=$(printf "%1000000000s" a); echo "$x"'],
    ['a string that doubles', 'a=x; while true; do a=$a$a; done'],
    ['counting', 'seq 1 1000000000'],
    ['a huge answer of jq', 'jq -n "[range(1e12)]|length"'],
    ['sleep', 'sleep 3600'],
  ])('%s', async (_, command) => {
    const state: AnswerState = {}
    const result = await run(command, state)
    // Stopped by the shell itself, or with its process.
    if (result.error) expect(result.error).toMatch(/^(execution_time_exceeded|unavailable)$/)
    else expect(result.execution!.exitCode).not.toBe(0)
    expect((await done('echo alive', state)).stdout).toBe('alive\n')
  })

  test('work that the shell does not notice: its process is killed, and the files are as before', async () => {
    const state: AnswerState = {}
    await done('echo kept > file', state)
    const result = await run('echo changed > file; sed ":a;s/^/aaaaaaaaaaaa/;ta" <<< x', state)
    expect(result.error).toBe('execution_time_exceeded')
    expect((await done('cat file', state)).stdout).toBe('kept\n')
  })
})

describe('bounds', () => {
  test('of each output 30,000 characters are shown', async () => {
    const { stdout } = await done('seq 1 20000')
    expect(stdout.slice(0, 6)).toBe('1\n2\n3\n')
    expect(stdout).toMatch(/\[… \d+ more characters\]$/)
    expect(stdout.length).toBeLessThan(30_100)
  })

  test('half a character becomes the sign for it, as readers of JSON refuse it', async () => {
    const { execution, content } = (await run("printf 'a\\ud83d'; printf '\\udc4d' >&2")) as Done
    expect(execution).toEqual({ stdout: 'a\ufffd', stderr: '\ufffd', exitCode: 0 })
    expect(content.isWellFormed()).toBe(true)
  })

  test('of files 2,000 and 8 MB are kept, and past them none of the script', async () => {
    const state: AnswerState = {}
    await done('touch f{1..1900}', state)
    expect((await run('touch g{1..200}', state)).error).toBe('output_file_too_large')
    expect((await done('ls | wc -l', state)).stdout.trim()).toBe('1900')
    const megabytes = (count: number) => `for i in $(seq 1 ${count}); do printf '%1048576s' a > m$i; done`
    expect((await done(megabytes(7))).exitCode).toBe(0)
    expect((await run(megabytes(9))).error).toBe('output_file_too_large')
  })

  test('a script has 32,000 characters at most and is not empty', async () => {
    expect((await done(`:${' '.repeat(31_998)}:`)).exitCode).toBe(0)
    for (const command of ['x'.repeat(32_001), '', ' ', undefined, 7])
      expect((await run(command)).error).toBe('invalid_tool_input')
  })

  test('more scripts than can wait are turned away, and the others all run', async () => {
    const results = await Promise.all(Array.from({ length: 72 }, (_, index) => run(`echo ${index}`)))
    const turnedAway = results.filter(({ error }) => error === 'too_many_requests')
    expect(turnedAway).toHaveLength(5)
    // Three at work, since the fourth place is for others, and 64 that wait.
    expect(results.filter(({ error }) => error === undefined)).toHaveLength(67)
  }, 600_000)
})

test('a caller that leaves ends the script', async () => {
  const caller = new AbortController()
  const running = use('bash', { command: 'sleep 5' }, { signal: caller.signal })
  caller.abort(new Error('gone'))
  await expect(running).rejects.toThrow('gone')
})

test("with one account's queue full another account's script is the next to run", async () => {
  const { use } = toolsOf('')
  const hog = new AbortController()
  const forever = { accountId: 'many', signal: hog.signal }
  const scripts = Array.from({ length: 80 }, () =>
    use('bash', { command: 'while true; do :; done' }, forever),
  )
  const ended = Promise.allSettled(scripts)
  const result = await use('bash', { command: 'echo هست' }, { accountId: 'one' })
  expect(result).toMatchObject({ content: 'هست\n' })
  hog.abort(new Error('gone'))
  await ended
})
