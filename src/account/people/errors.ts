import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    LAST_OPERATOR: Record<string, never>
    LAST_OWNER: Record<string, never>
    EMAIL_TAKEN: Record<string, never>
    OPERATOR_REQUIRED: Record<string, never>
  }
}

declareFailures({
  LAST_OPERATOR: {
    status: 409,
    retry: false,
    en: () =>
      'This is the last operator of this server. Make somebody else an operator first, by `kherad operator add`.',
    fa: () => 'این شخص آخرین گردانندهٔ این سرور است. نخست با `kherad operator add` کس دیگری را گرداننده کنید.',
  },
  LAST_OWNER: {
    status: 409,
    retry: false,
    en: () => 'This is the last owner of the account. Make somebody else an owner first.',
    fa: () => 'این شخص آخرین مالک حساب است. نخست کس دیگری را مالک کنید.',
  },
  EMAIL_TAKEN: {
    status: 409,
    retry: false,
    en: () => 'This address belongs to somebody who is known here. Sign in with it, or use another one.',
    fa: () => 'این نشانی از آنِ کسی است که این‌جا شناخته شده است. با آن وارد شوید یا نشانی دیگری بدهید.',
  },
  OPERATOR_REQUIRED: {
    status: 403,
    retry: false,
    en: () => 'Only an operator of this server may do this. Ask one of them, or sign in as one.',
    fa: () =>
      'این کار فقط از گرداننده‌های این سرور برمی‌آید. از یکی از آن‌ها بخواهید یا با نشانی گرداننده وارد شوید.',
  },
})
