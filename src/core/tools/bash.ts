import path from 'node:path'
import type { Execution, ToolResult } from '#core/turn'
import type { ConfinedRunner } from '#platform/confined'
import { toolFailure } from './failed.ts'
import { textMember } from './input.ts'
import type { HostedTool } from './tools.ts'

/** The state that a shell leaves for the next one of the same answer, as plain JSON. */
export interface ShellState {
  /** The folder in which the next command starts. */
  folder: string
  files: ShellFile[]
}

export interface ShellFile {
  path: string
  mode: number
  folder?: boolean
  /** Target of a symbolic link. */
  link?: string
  /** The content in Base64. */
  data?: string
}

/** The input of shell-process.ts; `ShellAnswer` is its output. */
export interface ShellWork {
  command: string
  state: ShellState
  timeZone: string
  limits: typeof limits
}

export interface ShellAnswer extends Execution {
  folder: string
  /** Undefined when the files are too many or too large to be kept. */
  files?: ShellFile[] | undefined
}

const limits = {
  timeMs: 8_000,
  files: 2_000,
  fileBytes: 8 * 1024 * 1024,
  /** The most bytes that a script may write, into files too, before the shell stops it. */
  writtenBytes: 32 * 1024 * 1024,
  /** The most bytes of one value. */
  valueBytes: 4 * 1024 * 1024,
  /** The most characters of stdout, and of stderr, that the model is shown. */
  outputCharacters: 30_000,
}

const maxCommandLength = 32_000
/** The shell ends itself at `timeMs`; this is for a shell that cannot. */
const killAfterMs = 10_000
/** The most bytes of an answer: files in Base64, both outputs, and the JSON around them. */
const maxAnswerBytes = 2 * limits.fileBytes
const emptyState: ShellState = { folder: '/home/user', files: [] }

/** A bash that lives in memory (docs/guides/text/tools.md). */
export function bash(confine: ConfinedRunner): HostedTool {
  return {
    name: 'bash',
    description:
      'Runs a bash script in a sandbox that lives in memory, and returns stdout, stderr and the exit code. There are the usual text tools (grep, sed, awk, sort, jq, yq, xan, tar, gzip, date, expr …); no network, no packages, no Python or Node. Files and the current folder last until the end of this answer, variables and functions only until the end of the script. A script may take 8 seconds.',
    parameters: {
      type: 'object',
      properties: { command: { type: 'string', description: 'The script.' } },
      required: ['command'],
      additionalProperties: false,
    },
    price: 0n,
    async run(input, { accountId, signal, state, timeZone = 'Asia/Tehran' }) {
      const command = textMember(input, 'command')
      if (command === undefined)
        return toolFailure('invalid_tool_input', 'command has to be a script that is not empty.')
      if (command.length > maxCommandLength)
        return toolFailure(
          'invalid_tool_input',
          `a script may have ${maxCommandLength} characters; run it in parts.`,
        )
      const work: ShellWork = { command, state: state.shell ?? emptyState, timeZone, limits }
      const outcome = await confine({
        module: path.join(import.meta.dirname, 'shell-process.ts'),
        accountId,
        input: work,
        timeoutMs: killAfterMs,
        maxOutputBytes: maxAnswerBytes,
        signal,
      })
      if ('lost' in outcome) return lost[outcome.lost]
      const { folder, files, ...execution } = outcome.value as ShellAnswer
      if (!files) return tooManyFiles
      state.shell = { folder, files }
      return { content: executionText(execution), results: [], execution }
    },
  }
}

const lost = {
  busy: toolFailure('too_many_requests', 'too many scripts are running; try again.'),
  time: toolFailure(
    'execution_time_exceeded',
    'the script took too long and was ended; its files are as before it.',
  ),
  output: toolFailure('output_file_too_large', 'the script left too much; its files are as before it.'),
  broken: toolFailure(
    'unavailable',
    'the script used too much memory and was ended; its files are as before it.',
  ),
} satisfies Record<string, ToolResult>

const tooManyFiles = toolFailure(
  'output_file_too_large',
  `files may have ${limits.fileBytes / 1024 / 1024} MB and be ${limits.files} in all; they are as before the script.`,
)

/** The output of a script, as the model reads it. */
export function executionText({ stdout, stderr, exitCode }: Execution): string {
  const parts = [stdout, stderr && `[stderr]\n${stderr}`, exitCode !== 0 && `[exit code ${exitCode}]`]
  return parts.filter(Boolean).join('\n') || '[no output]'
}
