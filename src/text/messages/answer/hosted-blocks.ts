/**
 * Calls and results of hosted tools as the blocks that clients of this wire know; clients fail on unknown blocks. There is no block
 * for dates, so those calls are not shown.
 */
import type { AnswerPart, CitableSource, ToolName, ToolResult, ToolSuccess } from '#core/turn'
import { hostedCallId } from '../call-ids.ts'
import { packExcerpt } from '../excerpts.ts'
import { type MessageJson, rawOf } from './usage.ts'

type HostedCall = Extract<AnswerPart, { type: 'hosted-call' }>
type HostedResult = Extract<AnswerPart, { type: 'hosted-result' }>

const caller = { type: 'direct' }

const calledAs: Readonly<Record<ToolName, string | undefined>> = {
  web_search: 'web_search',
  web_fetch: 'web_fetch',
  bash: 'bash_code_execution',
  datetime: undefined,
}

/** The block of a call and, separately, its input, which follows the block in a stream. Returns undefined for a tool that has no block. */
export function callBlock({
  id,
  tool,
  input,
}: HostedCall): { block: MessageJson; input: MessageJson } | undefined {
  const name = calledAs[tool]
  if (name === undefined) return undefined
  const block = { type: 'server_tool_use', id: hostedCallId(id), name, input: {}, caller }
  return { block, input: rawOf(input) }
}

export function resultBlock({ id, tool, result }: HostedResult, nowMs: number): MessageJson | undefined {
  const answers = { tool_use_id: hostedCallId(id) }
  switch (tool) {
    case 'web_search':
      return { type: 'web_search_tool_result', ...answers, content: searchContent(result), caller }
    case 'web_fetch':
      return { type: 'web_fetch_tool_result', ...answers, content: fetchContent(result, nowMs), caller }
    case 'bash':
      return { type: 'bash_code_execution_tool_result', ...answers, content: bashContent(result) }
    default:
      return undefined
  }
}

const searchContent = (result: ToolResult): unknown =>
  result.error === undefined
    ? result.results.map(finding)
    : failure('web_search_tool_result_error', result.error, searchErrors)

const finding = ({ url, title, text, publishedAt }: CitableSource): MessageJson => ({
  type: 'web_search_result',
  url,
  title,
  encrypted_content: packExcerpt(text),
  page_age: publishedAt ?? null,
})

function fetchContent(result: ToolResult, nowMs: number): MessageJson {
  const [page] = result.results
  if (result.error !== undefined || !page)
    return failure('web_fetch_tool_result_error', result.error, fetchErrors)
  return {
    type: 'web_fetch_result',
    url: page.url,
    retrieved_at: new Date(nowMs).toISOString(),
    content: {
      type: 'document',
      title: page.title,
      // Passages of pages are cited by the page's address; positions inside a document are known only to its vendor.
      citations: { enabled: false },
      source: { type: 'text', media_type: 'text/plain', data: page.text },
    },
  }
}

function bashContent(result: ToolResult): MessageJson {
  const { execution } = result as Partial<ToolSuccess>
  if (!execution) return failure('bash_code_execution_tool_result_error', result.error, bashErrors)
  const { stdout, stderr, exitCode } = execution
  return { type: 'bash_code_execution_result', stdout, stderr, return_code: exitCode, content: [] }
}

/** An error result. Codes that the wire does not have for the tool become `unavailable`. */
const failure = (type: string, error: string | undefined, known: readonly string[]): MessageJson => ({
  type,
  error_code: error !== undefined && known.includes(error) ? error : 'unavailable',
})

const searchErrors = ['invalid_tool_input', 'max_uses_exceeded', 'too_many_requests', 'query_too_long']
const fetchErrors = [
  'invalid_tool_input',
  'url_too_long',
  'url_not_allowed',
  'url_not_in_prior_context',
  'url_not_accessible',
  'unsupported_content_type',
  'too_many_requests',
  'max_uses_exceeded',
  'content_too_large',
]
const bashErrors = [
  'invalid_tool_input',
  'too_many_requests',
  'execution_time_exceeded',
  'output_file_too_large',
]
