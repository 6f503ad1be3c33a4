import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    METRICS_TOKEN_REQUIRED: Record<string, never>
    NOT_READY: { why: Localized[] }
  }
}

declareFailures({
  METRICS_TOKEN_REQUIRED: {
    status: 401,
    en: () => 'The metrics of this server ask for their own token: Authorization: Bearer <metrics.token>.',
    fa: () => 'سنجه‌های این سرور توکن خود را می‌خواهند: Authorization: Bearer <metrics.token>‎.',
  },
  NOT_READY: {
    status: 503,
    en: ({ why }) => `This server is not ready: ${why.map(({ en }) => en).join(' ')}`,
    fa: ({ why }) => `این سرور آماده نیست: ${why.map(({ fa }) => fa).join(' ')}`,
  },
})
