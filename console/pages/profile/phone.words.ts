const fa = {
  phone: 'شمارهٔ همراه',
  none: 'شماره‌ای ندارید. با آن، کنار ایمیل، با کدی وارد می‌شوید که پیامک می‌شود.',
  proven: 'تأیید شده',
  limits:
    'کد پیامک شما را وارد می‌کند و بس: جای مرحلهٔ دوم ورود را نمی‌گیرد، گذرواژه را عوض نمی‌کند، و برای تغییر راه‌های ورود تأیید دیگری لازم است.',
  add: 'افزودن شماره',
  change: 'تغییر شماره',
  remove: 'برداشتن',
  number: 'شمارهٔ تازه',
  numberHint: 'مانند ۰۹۱۲۳۴۵۶۷۸۹',
  sendCode: 'فرستادن کد',
  told: 'شمارهٔ پیشین و نشانی ایمیل شما از این تغییر باخبر می‌شوند.',
  codeSent: 'کدی به این شماره پیامک کردیم که ۵ دقیقه و فقط در همین مرورگر کار می‌کند:',
  saved: 'شمارهٔ شما تأیید شد.',
  removeTitle: 'برداشتن شمارهٔ همراه',
  removeWhy: 'دیگر کدی به این شماره نمی‌رود و با آن وارد نمی‌شوید. شماره و نشانی ایمیل شما باخبر می‌شوند.',
  removed: 'شمارهٔ شما برداشته شد.',
  noGateway: 'این سرور دیگر پیامک نمی‌فرستد؛ با این شماره اکنون وارد نمی‌شوید.',
}

const en = {
  phone: 'Mobile number',
  none: 'You have no number. With one you sign in by a code of an SMS, beside e-mail.',
  proven: 'Proven',
  limits:
    'A code by SMS signs you in and no more: it is no second step, renews no password, and to change your ways to sign in you prove yourself otherwise.',
  add: 'Add a number',
  change: 'Change the number',
  remove: 'Remove',
  number: 'New number',
  numberHint: 'Such as 0912 345 6789',
  sendCode: 'Send a code',
  told: 'The number before and your e-mail address hear of the change.',
  codeSent: 'We have sent an SMS to this number. Its code works for 5 minutes and in this browser only:',
  saved: 'Your number is proven.',
  removeTitle: 'Remove the mobile number',
  removeWhy:
    'No code goes to this number any more, and you do not sign in with it. The number and your e-mail address hear of it.',
  removed: 'Your number was removed.',
  noGateway: 'This server sends no SMS any more; you cannot sign in with this number now.',
} satisfies typeof fa

export const phoneWords = { fa, en }
