import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    INVALID_API_KEY: Record<string, never>
    INSUFFICIENT_SCOPE: { scope: string }
    ACCOUNT_SUSPENDED: Record<string, never>
    PLAN_REQUIRED: Record<string, never>
  }
}

declareFailures({
  INVALID_API_KEY: {
    status: 401,
    en: () =>
      'The API key is missing, mistyped, expired or revoked. Send it as `Authorization: Bearer khr_…`.',
    fa: () =>
      'کلید API فرستاده نشده، نادرست است، منقضی شده یا باطل شده است. آن را به شکل `Authorization: Bearer khr_…` بفرستید.',
  },
  INSUFFICIENT_SCOPE: {
    status: 403,
    en: ({ scope }) => `This key lacks the scope ${scope}. Make a key that has it.`,
    fa: ({ scope }) => `این کلید دسترسی ${scope} را ندارد. کلیدی با این دسترسی بسازید.`,
  },
  ACCOUNT_SUSPENDED: {
    status: 403,
    en: () => 'This account is suspended. Ask the operator of this service.',
    fa: () => 'این حساب معلق شده است. از گردانندهٔ سرویس بپرسید.',
  },
  PLAN_REQUIRED: {
    status: 403,
    en: () => 'This account has no plan yet. Ask the operator of this service for one.',
    fa: () => 'این حساب هنوز طرحی ندارد. از گردانندهٔ سرویس بخواهید طرحی برای آن بگذارد.',
  },
})
