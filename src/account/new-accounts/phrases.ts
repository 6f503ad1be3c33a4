import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    TOO_MANY_ACCOUNTS: Record<string, never>
  }
}

declareFailures({
  TOO_MANY_ACCOUNTS: {
    status: 429,
    en: () => 'Many accounts were opened from this network today. Try again tomorrow, or ask the operator.',
    fa: () => 'امروز حساب‌های زیادی از این شبکه باز شده است. فردا دوباره بکوشید یا از گرداننده بخواهید.',
  },
})

/** Names of what a new account begins with. */
export const firstNames = {
  account: { fa: (name: string) => `حساب ${name}`, en: (name: string) => `Account of ${name}` },
  project: { fa: 'پروژهٔ نخست', en: 'First project' },
}
