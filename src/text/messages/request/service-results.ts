/** Reads the results of tools that a service ran from the blocks that a client sends back: those of the platform, and those of a vendor as far as they are readable. */
import { executionText, findingsText, pageText } from '#core/tools'
import type { ToolName } from '#core/turn'
import { isPacked, unpackExcerpt } from '../excerpts.ts'
import type { AssistantBlock, ServerResultBlock, ServerToolUseBlock } from './block-schema.ts'
import type { ServiceBlock } from './steps.ts'

type ResultJson = Record<string, unknown>

export interface ServiceResult {
  text: string
  isError?: true
}

/** The most excerpts that are unpacked for one request: as many as forty answers can contain. Further ones are not unpacked: each takes some 50 µs, during which all other requests wait. */
const maxExcerpts = 2_000

export class ExcerptReader {
  #left = maxExcerpts

  /** Returns the excerpt, or an empty text if it cannot be read; then only the title and address of the finding are left. */
  of(content: unknown): string {
    if (!isPacked(content) || this.#left === 0) return ''
    this.#left--
    return unpackExcerpt(content)
  }
}

const tools: Readonly<Record<string, ToolName>> = {
  web_search: 'web_search',
  web_fetch: 'web_fetch',
  bash_code_execution: 'bash',
}

/** The hosted tool of a call, or undefined for a tool that only its vendor has. */
export const calledTool = ({ name }: ServerToolUseBlock): ToolName | undefined =>
  Object.hasOwn(tools, name) ? tools[name] : undefined

type ResultReader = (content: unknown, excerpts: ExcerptReader) => ServiceResult

const readers: Readonly<Record<string, ResultReader>> = {
  web_search_tool_result: (content, excerpts) =>
    Array.isArray(content)
      ? { text: findingsText(content.map((one) => findingOf(one, excerpts))) }
      : failure(content),
  web_fetch_tool_result: (content) =>
    rawOf(content)['type'] === 'web_fetch_result' ? pageOf(rawOf(content)) : failure(content),
  bash_code_execution_tool_result: (content) =>
    rawOf(content)['type'] === 'bash_code_execution_result' ? executionOf(rawOf(content)) : failure(content),
}

/** True if the block can be translated for other wires. */
export const isReadable = (block: AssistantBlock): block is ServiceBlock =>
  block.type === 'server_tool_use' ? calledTool(block) !== undefined : Object.hasOwn(readers, block.type)

/** The result of a call as text for a model. There is no result yet if the answer was paused before it. */
export function readServiceResult(
  block: ServerResultBlock | undefined,
  excerpts: ExcerptReader,
): ServiceResult {
  const read = block && readers[block.type]
  return read
    ? read(block.content, excerpts)
    : {
        text: 'Error (unavailable): this call has no result yet; call the tool again if you need it.',
        isError: true,
      }
}

function findingOf(value: unknown, excerpts: ExcerptReader) {
  const { url, title, encrypted_content: packed, page_age: age } = rawOf(value)
  return {
    url: textOf(url),
    title: textOf(title) || textOf(url),
    text: excerpts.of(packed),
    ...(typeof age === 'string' && { publishedAt: age }),
  }
}

/** A fetched page. If the vendor has sent a PDF, its text is empty: the PDF is not read here. */
function pageOf({ url, content }: ResultJson): ServiceResult {
  const { title, source } = rawOf(content)
  const { type, data } = rawOf(source)
  return {
    text: pageText({ url: textOf(url), title: textOf(title), text: type === 'text' ? textOf(data) : '' }),
  }
}

function executionOf({ stdout, stderr, return_code: exitCode }: ResultJson): ServiceResult {
  return {
    text: executionText({
      stdout: textOf(stdout),
      stderr: textOf(stderr),
      exitCode: typeof exitCode === 'number' ? exitCode : 0,
    }),
  }
}

const failure = (content: unknown): ServiceResult => ({
  text: `Error (${textOf(rawOf(content)['error_code']) || 'unavailable'})`,
  isError: true,
})

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const rawOf = (value: unknown): ResultJson =>
  typeof value === 'object' && value !== null ? (value as ResultJson) : {}
