import { declareFailures, type Localized } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    DELETION_NOT_PENDING: Record<string, never>
    DELETION_PENDING: Record<string, never>
    SOLE_OWNER: { accounts: readonly string[] }
  }
}

const listed = (names: readonly string[], separator: string): string =>
  names.map((name) => `«\u2068${name}\u2069»`).join(separator)

declareFailures({
  DELETION_NOT_PENDING: {
    status: 409,
    retry: false,
    en: () => 'No deletion is waiting that could be undone: none was asked for, or its time is over.',
    fa: () => 'حذفی در انتظار نیست که بتوان برگرداند: یا درخواستی نبوده، یا مهلت آن گذشته است.',
  },
  DELETION_PENDING: {
    status: 409,
    retry: false,
    en: () => 'The deletion was asked for already. There is nothing more to do.',
    fa: () => 'حذف پیش‌تر درخواست شده است و کار دیگری لازم نیست.',
  },
  SOLE_OWNER: {
    status: 409,
    retry: false,
    en: ({ accounts }) =>
      `You are the only owner of ${listed(accounts, ', ')}. Make somebody else an owner, or have these accounts deleted with you by delete_accounts.`,
    fa: ({ accounts }) =>
      `شما تنها مالک ${listed(accounts, '، ')} هستید. کس دیگری را مالک کنید، یا با delete_accounts بخواهید این حساب‌ها هم با شما حذف شوند.`,
  },
})

/** Why a value is refused, in words. */
export const reasons = {
  otherPersonName: {
    en: 'confirm must be exactly your own name.',
    fa: 'confirm باید دقیقاً نام خودتان باشد.',
  } satisfies Localized,
  otherAccountName: {
    en: 'confirm must be exactly the name of the account.',
    fa: 'confirm باید دقیقاً نام حساب باشد.',
  } satisfies Localized,
}
