/** Results of hosted tools (`core/tools` runs them). */
export type BuiltInTool = 'web_search' | 'web_fetch' | 'datetime' | 'bash'
/** A built-in tool, or one that a room adds for a single answer, prefixed with the room's name: `agent:capture_lead`. */
export type ToolName = BuiltInTool | `${string}:${string}`

export type ToolResult = ToolSuccess | ToolFailure

export interface ToolSuccess {
  /** The text for the model. */
  content: string
  /** The sources; empty for tools without sources. */
  results: CitableSource[]
  error?: undefined
  /** The output of the shell tool; absent for other tools. */
  execution?: Execution
}

export interface Execution {
  stdout: string
  stderr: string
  exitCode: number
}

export interface ToolFailure {
  /** A sentence for the model: what went wrong and what it may try instead. */
  content: string
  results: []
  error: ToolError
}

export interface CitableSource {
  url: string
  title: string
  text: string
  /** ISO 8601 date, or date and time. */
  publishedAt?: string
  /** For a fetched page: its media type, and whether its text was truncated. */
  mediaType?: string
  cut?: boolean
  /** When a run read the source, in ISO 8601. */
  readAt?: string
}

/** The codes of the messages wire; the loop itself raises `max_uses_exceeded` and `url_not_in_prior_context`. */
export type ToolError =
  | 'invalid_tool_input'
  | 'unavailable'
  | 'too_many_requests'
  | 'max_uses_exceeded'
  | 'query_too_long'
  | 'url_too_long'
  | 'url_not_allowed'
  | 'url_not_in_prior_context'
  | 'url_not_accessible'
  | 'unsupported_content_type'
  | 'content_too_large'
  | 'execution_time_exceeded'
  | 'output_file_too_large'
