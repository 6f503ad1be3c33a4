import { isolatedName } from '../words/clean-name.ts'

const fa = {
  why: 'این کار تأیید تازه می‌خواهد. تا ده دقیقه پس از آن دوباره نمی‌پرسیم.',
  confirm: 'تأیید',
  password: 'گذرواژه',
  byPassword: 'تأیید با گذرواژه',
  byCode: 'تأیید با کدی که ایمیل می‌شود',
  byProvider: (name: string) => `تأیید با ${isolatedName(name)}`,
  codeTo: 'کدی به این نشانی می‌فرستیم:',
  codeSent: 'کدی به این نشانی فرستادیم که ۵ دقیقه و فقط در همین مرورگر کار می‌کند:',
  sendCode: 'فرستادن کد',
  leaves: (name: string) =>
    `برای تأیید به صفحهٔ ${isolatedName(name)} می‌روید و به همین صفحه برمی‌گردید. آنچه این‌جا نوشته‌اید و ذخیره نکرده‌اید از دست می‌رود؛ پس از برگشت دوباره بنویسید.`,
  none: 'در این نشست راهی برای تأیید ندارید: نه گذرواژه‌ای دارید، نه نشانی‌ای که کد بگیرد. از گردانندهٔ سرور پیوند بازنشانی بخواهید؛ با آن گذرواژه می‌گذارید.',
  noSecond:
    'مرحلهٔ دوم ورود شما رمز دستگاه است که در این نشانی کار نمی‌کند، و کد بازیابی هم نمانده است. سرور را با نشانی همیشگی آن باز کنید.',
  security: 'راه‌های ورود و تأیید شما',
}

const en = {
  why: 'This asks for a fresh confirmation. For ten minutes after it we do not ask again.',
  confirm: 'Confirm',
  password: 'Password',
  byPassword: 'Confirm with the password',
  byCode: 'Confirm with a code by e-mail',
  byProvider: (name: string) => `Confirm with ${isolatedName(name)}`,
  codeTo: 'We send a code to this address:',
  codeSent: 'We have sent a code to this address. It works for 5 minutes and in this browser only:',
  sendCode: 'Send a code',
  leaves: (name: string) =>
    `You go to the page of ${isolatedName(name)} and come back to this one. What you have typed here and not saved is lost; type it again afterwards.`,
  none: 'You have no way to confirm in this session: no password, and no address that gets a code. Ask the operator of the server for a reset link, by which you set a password.',
  noSecond:
    'Your second factor is a passkey, which does not work at this address, and no recovery code is left. Open the server at its usual address.',
  security: 'Your ways to sign in and confirm',
} satisfies typeof fa

export const stepUpWords = { fa, en }
