import { isolatedName } from '../../words/clean-name.ts'

const fa = {
  offTitle: 'ورود شما یک مرحله دارد',
  offWhy:
    'هر که گذرواژهٔ شما را بداند یا صندوق ایمیلتان را بخواند، وارد می‌شود. با مرحلهٔ دوم، گذرواژهٔ لورفته به‌تنهایی به کار کسی نمی‌آید.',
  onTitle: 'ورود شما دو مرحله دارد',
  onWhy: 'پس از گذرواژه، کد یا حساب دیگر، یکی از این‌ها خواسته می‌شود.',
  proveFirst:
    'نخست نشانی ایمیل خود را تأیید کنید؛ وگرنه هر که صندوق آن را بخواند می‌تواند مرحلهٔ دوم را بردارد.',
  toAddress: 'تأیید نشانی',

  totp: 'برنامهٔ رمزساز',
  totpWhy: 'برنامه‌ای روی گوشی که هر ۳۰ ثانیه کدی شش‌رقمی می‌سازد، بدون نیاز به اینترنت.',
  addTotp: 'افزودن برنامهٔ رمزساز',
  passkey: 'رمز دستگاه (passkey)',
  passkeyWhy: 'با اثر انگشت، چهره یا قفل دستگاه وارد می‌شوید، بدون گذرواژه و کد. جای هر دو مرحله را می‌گیرد.',
  addPasskey: 'ساختن رمز دستگاه',
  noPasskeys: (why: string) => `این‌جا نمی‌توان رمز دستگاه ساخت: ${why}`,
  oldBrowser: 'این مرورگر رمز دستگاه ندارد. مرورگر تازه‌تری را امتحان کنید.',
  kinds: { totp: 'برنامهٔ رمزساز', passkey: 'رمز دستگاه' },
  synced: 'همگام در ابر سازنده',
  added: 'افزوده',
  lastUsed: 'آخرین استفاده',
  neverUsed: 'هنوز به کار نرفته',
  factors: 'مرحله‌های دوم',

  name: 'نام',
  totpNameHint: 'تا بعدها بشناسیدش، مانند «گوشی من».',
  passkeyNameHint: 'تا بعدها بشناسیدش، مانند «لپ‌تاپ کار».',
  continue: 'ادامه',
  create: 'ساختن',
  createNote: 'مرورگر اثر انگشت، چهره یا قفل دستگاه را می‌خواهد.',
  scan: 'این کد QR را با برنامهٔ رمزساز بخوانید:',
  qr: 'کد QR برای برنامهٔ رمزساز',
  orSecret: 'یا این راز را در برنامه بنویسید:',
  thenCode: 'کدی که برنامه اکنون نشان می‌دهد',
  confirm: 'تأیید و روشن کردن',
  turnedOn: 'ورود دومرحله‌ای روشن است.',
  wasAdded: 'افزوده شد.',

  rename: 'تغییر نام',
  cancel: 'انصراف',
  remove: 'حذف',
  removeTitle: (name: string) => `حذف ${isolatedName(name)}`,
  removeWhy: 'دیگر با آن وارد نمی‌شوید. برای برگرداندنش باید از نو بیفزایید.',
  removeLast: 'این آخرین مرحلهٔ دوم شماست: ورود شما یک‌مرحله‌ای می‌شود و کدهای بازیابی هم حذف می‌شوند.',
  removed: 'حذف شد.',

  codes: 'کدهای بازیابی',
  codesLeft: (left: string) => `${left} کد مانده است.`,
  codesWhy: 'اگر گوشی یا دستگاهتان گم شد، هر کد یک بار به‌جای مرحلهٔ دوم می‌نشیند.',
  codesLow: 'کدهای کمی مانده است. کدهای تازه بسازید.',
  codesGone: 'کدی نمانده است. اگر دستگاهتان گم شود، فقط مالک حساب می‌تواند پس از ۷۲ ساعت راه را باز کند.',
  renew: 'ساختن کدهای تازه',
  renewNote: 'کدهای پیشین از همان دم کار نمی‌کنند.',
  codesOnce: 'این کدها فقط همین یک بار نشان داده می‌شوند. جایی جدا از این دستگاه نگه دارید.',
  download: 'دانلود',
  print: 'چاپ',
  leaveTitle: 'کدهای بازیابی را نگه نداشته‌اید',
  kept: 'نگه داشتم',
  fileHead: (site: string) => `کدهای بازیابی خرد، ${site}`,
  fileNote: 'هر کد یک بار به‌جای مرحلهٔ دوم ورود کار می‌کند.',

  resetTitle: 'ورود دومرحله‌ای شما برداشته می‌شود',
  resetWhy: (requested: string, due: string) =>
    `درخواست آن ${requested} رسیده است و ${due} انجام می‌شود: همهٔ برنامه‌ها، رمزهای دستگاه و کدهای بازیابی شما حذف می‌شوند. اگر مرحلهٔ دوم خود را گم نکرده‌اید، جلوی آن را بگیرید.`,
  keep: 'جلوگیری با مرحلهٔ دوم',
  keeps: 'ورود دومرحله‌ای شما می‌ماند.',
}

const en = {
  offTitle: 'You sign in in one step',
  offWhy:
    'Whoever knows your password or reads your mailbox gets in. With a second step, a leaked password alone is of no use to anybody.',
  onTitle: 'You sign in in two steps',
  onWhy: 'After a password, a code or another account, one of these is asked for.',
  proveFirst:
    'Prove your e-mail address first; otherwise whoever reads its mailbox could remove the second step.',
  toAddress: 'Prove the address',

  totp: 'Authenticator app',
  totpWhy: 'An app on your phone that makes a six-digit code every 30 seconds, without the internet.',
  addTotp: 'Add an authenticator app',
  passkey: 'Passkey',
  passkeyWhy:
    'You sign in with your fingerprint, your face or the lock of the device, without password and code. It counts as both steps.',
  addPasskey: 'Create a passkey',
  noPasskeys: (why: string) => `No passkey can be made here: ${why}`,
  oldBrowser: 'This browser has no passkeys. Try a newer one.',
  kinds: { totp: 'Authenticator app', passkey: 'Passkey' },
  synced: 'Synced by its maker',
  added: 'Added',
  lastUsed: 'last used',
  neverUsed: 'not used yet',
  factors: 'Second steps',

  name: 'Name',
  totpNameHint: 'So that you know it later, such as “My phone”.',
  passkeyNameHint: 'So that you know it later, such as “Work laptop”.',
  continue: 'Continue',
  create: 'Create',
  createNote: 'The browser asks for your fingerprint, your face or the lock of the device.',
  scan: 'Scan this QR code with your authenticator app:',
  qr: 'QR code for the authenticator app',
  orSecret: 'Or type this secret into the app:',
  thenCode: 'The code that the app shows now',
  confirm: 'Confirm and turn on',
  turnedOn: 'Two-step sign-in is on.',
  wasAdded: 'Added.',

  rename: 'Rename',
  cancel: 'Cancel',
  remove: 'Remove',
  removeTitle: (name: string) => `Remove ${isolatedName(name)}`,
  removeWhy: 'You no longer sign in with it. To have it back, you add it anew.',
  removeLast:
    'This is your last second step: you will sign in in one step, and the recovery codes are removed too.',
  removed: 'Removed.',

  codes: 'Recovery codes',
  codesLeft: (left: string) => `Codes left: ${left}.`,
  codesWhy: 'If your phone or device is lost, each code stands once in place of the second step.',
  codesLow: 'Few codes are left. Make new ones.',
  codesGone:
    'No code is left. If your device is lost, only an owner of the account can open the way, after 72 hours.',
  renew: 'Make new codes',
  renewNote: 'The codes before stop working at once.',
  codesOnce: 'These codes are shown only this once. Keep them somewhere apart from this device.',
  download: 'Download',
  print: 'Print',
  leaveTitle: 'You have not kept the recovery codes',
  kept: 'I have kept them',
  fileHead: (site: string) => `Recovery codes of Kherad, ${site}`,
  fileNote: 'Each code works once in place of the second step of a sign-in.',

  resetTitle: 'Your second step is about to be removed',
  resetWhy: (requested: string, due: string) =>
    `It was asked for on ${requested} and is carried out on ${due}: all your apps, passkeys and recovery codes are removed. If you have not lost your second step, stop it.`,
  keep: 'Stop it with your second step',
  keeps: 'Your second step stays.',
} satisfies typeof fa

export const factorWords = { fa, en }
