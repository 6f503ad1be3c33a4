/** A refusal of the API, in its own words. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  /** The stable code, such as `WRONG_CREDENTIALS`. */
  readonly code: string
  readonly requestId: string | undefined
  /** The name of the field that was refused, where the API names one. */
  readonly param: string | undefined
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    error: { code: string; message: string; param?: string; details?: Record<string, unknown> },
    requestId: string | undefined,
  ) {
    super(error.message)
    this.status = status
    this.code = error.code
    this.param = error.param
    this.details = error.details ?? {}
    this.requestId = requestId
  }
}

/** Whether the API says that a thing is not there, or not for this person: it says both alike. */
export const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404
