import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    PHONE_INVALID: { why: 'shape' | 'prefix' }
    SMS_UNAVAILABLE: { lacks: 'gateway' | 'messages' }
  }
}

declareFailures({
  PHONE_INVALID: {
    status: 400,
    en: ({ why }) =>
      why === 'prefix'
        ? 'This server sends no messages to numbers of this country or network. Give another number, or use your e-mail address.'
        : 'This is not a mobile number; write one such as 0912 345 6789, or with + and the country.',
    fa: ({ why }) =>
      why === 'prefix'
        ? 'این سرور به شماره‌های این کشور یا شبکه پیامک نمی‌فرستد. شمارهٔ دیگری بدهید یا نشانی ایمیلتان را به کار ببرید.'
        : 'این شمارهٔ همراه نیست؛ شماره‌ای مانند ۰۹۱۲۳۴۵۶۷۸۹ بنویسید، یا با + و کد کشور.',
  },
  SMS_UNAVAILABLE: {
    status: 503,
    retry: false,
    en: ({ lacks }) =>
      lacks === 'messages'
        ? 'This server has sent all text messages of today, so it sends no code by SMS until tomorrow. Use another way; its operator sets `sms.daily_messages`.'
        : 'This server sends no text messages. Use another way, or ask its operator, who needs `sms` in the configuration file.',
    fa: ({ lacks }) =>
      lacks === 'messages'
        ? 'این سرور همهٔ پیامک‌های امروز را فرستاده است و تا فردا کدی با پیامک نمی‌فرستد. از راه دیگری بروید؛ گردانندهٔ آن `sms.daily_messages` را تعیین می‌کند.'
        : 'این سرور پیامک نمی‌فرستد. از راه دیگری بروید یا به گردانندهٔ آن بگویید؛ او به `sms` در فایل پیکربندی نیاز دارد.',
  },
})
