/** What the tools of the service answer (`engine/tools` runs them). */
export type BuiltIn = 'web_search' | 'web_fetch' | 'datetime' | 'bash'
/** A tool of the service, or one that a room brings along for a single answer, which bears the room's name: `agent:capture_lead`. */
export type ToolName = BuiltIn | `${string}:${string}`

export type ToolResult = Done | Failed

export interface Done {
  /** For the model. */
  content: string
  /** Where it comes from; empty for tools without sources. */
  results: Source[]
  error?: undefined
  /** Of the shell. */
  execution?: Execution
}

export interface Execution {
  stdout: string
  stderr: string
  exitCode: number
}

export interface Failed {
  /** A sentence for the model: what went wrong and what may help. */
  content: string
  results: []
  error: ToolError
}

export interface Source {
  url: string
  title: string
  text: string
  /** ISO 8601 date, or date and time. */
  publishedAt?: string
  /** Of a fetched page: its media type, and whether the text stops before the page does. */
  mediaType?: string
  cut?: boolean
  /** When it was read for a run of work: ISO 8601. */
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
