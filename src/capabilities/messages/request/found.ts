/** What tools of a service have found, read out of the blocks that a client sends back: ours, and those of a vendor as far as they say something. */
import { writtenExecution, writtenFindings, writtenPage } from '#engine/tools'
import type { ToolName } from '#engine/turn'
import { isPacked, unpacked } from '../excerpts.ts'
import type { AssistantBlock, ServerResultBlock, ServerToolUseBlock } from './block-schema.ts'
import type { ServiceBlock } from './steps.ts'

type Raw = Record<string, unknown>

export interface Found {
  text: string
  isError?: true
}

/** What forty answers find at most. Beyond that excerpts stay packed: each takes some 50 µs, and everybody waits for them. */
const maxExcerpts = 2_000

export class Excerpts {
  #left = maxExcerpts

  /** Empty for what cannot be read: then a finding is its title and address. */
  of(content: unknown): string {
    if (!isPacked(content) || this.#left === 0) return ''
    this.#left--
    return unpacked(content)
  }
}

const tools: Readonly<Record<string, ToolName>> = {
  web_search: 'web_search',
  web_fetch: 'web_fetch',
  bash_code_execution: 'bash',
}

/** The tool of a call as models call it; undefined for what only its vendor has. */
export const calledTool = ({ name }: ServerToolUseBlock): ToolName | undefined =>
  Object.hasOwn(tools, name) ? tools[name] : undefined

type Reader = (content: unknown, excerpts: Excerpts) => Found

const readers: Readonly<Record<string, Reader>> = {
  web_search_tool_result: (content, excerpts) =>
    Array.isArray(content)
      ? { text: writtenFindings(content.map((one) => findingOf(one, excerpts))) }
      : failure(content),
  web_fetch_tool_result: (content) =>
    rawOf(content)['type'] === 'web_fetch_result' ? pageOf(rawOf(content)) : failure(content),
  bash_code_execution_tool_result: (content) =>
    rawOf(content)['type'] === 'bash_code_execution_result' ? executionOf(rawOf(content)) : failure(content),
}

/** Whether other wires can be told of it. */
export const isReadable = (block: AssistantBlock): block is ServiceBlock =>
  block.type === 'server_tool_use' ? calledTool(block) !== undefined : Object.hasOwn(readers, block.type)

/** The result of a call, as a model reads it. An answer can be paused before there is one. */
export function readFound(block: ServerResultBlock | undefined, excerpts: Excerpts): Found {
  const read = block && readers[block.type]
  return read
    ? read(block.content, excerpts)
    : {
        text: 'Error (unavailable): this call has no result yet; call the tool again if you need it.',
        isError: true,
      }
}

function findingOf(value: unknown, excerpts: Excerpts) {
  const { url, title, encrypted_content: packed, page_age: age } = rawOf(value)
  return {
    url: textOf(url),
    title: textOf(title) || textOf(url),
    text: excerpts.of(packed),
    ...(typeof age === 'string' && { publishedAt: age }),
  }
}

/** A vendor may have sent the PDF itself, which nothing here reads again. */
function pageOf({ url, content }: Raw): Found {
  const { title, source } = rawOf(content)
  const { type, data } = rawOf(source)
  return {
    text: writtenPage({ url: textOf(url), title: textOf(title), text: type === 'text' ? textOf(data) : '' }),
  }
}

function executionOf({ stdout, stderr, return_code: exitCode }: Raw): Found {
  return {
    text: writtenExecution({
      stdout: textOf(stdout),
      stderr: textOf(stderr),
      exitCode: typeof exitCode === 'number' ? exitCode : 0,
    }),
  }
}

const failure = (content: unknown): Found => ({
  text: `Error (${textOf(rawOf(content)['error_code']) || 'unavailable'})`,
  isError: true,
})

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const rawOf = (value: unknown): Raw => (typeof value === 'object' && value !== null ? (value as Raw) : {})
