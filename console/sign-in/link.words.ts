const fa = {
  title: 'پیوند',
  missing: 'این پیوند کامل نیست',
  missingWhy: 'همهٔ آن را از نامه یا پایانه رونوشت کنید و دوباره باز کنید.',
  ended: 'این پیوند دیگر کار نمی‌کند',
  purposes: {
    first_operator: 'گردانندهٔ نخست',
    operator: 'گرداننده شوید',
    operator_reset: 'گذرواژهٔ تازه',
    password_reset: 'گذرواژهٔ تازه',
    invitation: 'دعوت به یک حساب',
    email_undo: 'برگرداندن نشانی ایمیل',
    factor_reset_cancel: 'لغو برداشتن ورود دومرحله‌ای',
  },
  leads: {
    first_operator: 'شما نخستین کسی هستید که به این سرور می‌آید: گردانندهٔ آن و مالک نخستین حساب می‌شوید.',
    operator: 'با این پیوند گردانندهٔ این سرور می‌شوید.',
    operator_reset: 'گردانندهٔ سرور این پیوند را ساخته است. با ذخیرهٔ گذرواژه، همهٔ نشست‌های شما پایان می‌یابند.',
    password_reset: 'با ذخیرهٔ گذرواژه، همهٔ نشست‌های شما پایان می‌یابند.',
    email_undo:
      'نشانی پیشین حساب شما برمی‌گردد، همهٔ نشست‌ها پایان می‌یابند، و گذرواژه و راه‌های ورودی که پس از تغییر گذاشته شده‌اند پاک می‌شوند.',
    factor_reset_cancel: 'ورود دومرحله‌ای شما همان‌طور که هست می‌ماند.',
  },
  invited: (inviter: string, account: string, role: string) =>
    `${inviter} شما را به حساب «${account}» دعوت کرده است؛ نقش شما: ${role}.`,
  invitedByOperator: (account: string, role: string) => `به حساب «${account}» دعوت شده‌اید؛ نقش شما: ${role}.`,
  forAddress: 'این پیوند فقط برای این نشانی است:',
  roles: { owner: 'مالک', admin: 'مدیر', developer: 'توسعه‌دهنده', billing: 'مالی', viewer: 'بیننده' },
  acceptAs: (name: string) => `پذیرفتن با نام ${name}`,
  confirm: 'تأیید می‌کنم',
  create: 'ساختن حساب و ورود',
  toSignIn: 'ورود با همین نشانی',
  toSignUp: 'حساب تازه با همین نشانی',
  otherPerson: 'ورود با نشانی دیگر',
  done: 'انجام شد.',
  toHome: 'رفتن به خانه',
}

const en = {
  title: 'Link',
  missing: 'This link is not complete',
  missingWhy: 'Copy all of it from the letter or the terminal, and open it again.',
  ended: 'This link no longer works',
  purposes: {
    first_operator: 'The first operator',
    operator: 'Become an operator',
    operator_reset: 'New password',
    password_reset: 'New password',
    invitation: 'Invitation to an account',
    email_undo: 'Bring the e-mail address back',
    factor_reset_cancel: 'Keep the second factor',
  },
  leads: {
    first_operator:
      'You are the first person on this server: you become its operator and the owner of the first account.',
    operator: 'With this link you become an operator of this server.',
    operator_reset:
      'The operator of this server made this link. When you save the password, all your sessions end.',
    password_reset: 'When you save the password, all your sessions end.',
    email_undo:
      'The address that your account had before comes back, all sessions end, and the password and other ways to sign in that were set since the change are dropped.',
    factor_reset_cancel: 'Your second factor stays as it is.',
  },
  invited: (inviter: string, account: string, role: string) =>
    `${inviter} has invited you to the account “${account}”; your role: ${role}.`,
  invitedByOperator: (account: string, role: string) =>
    `You are invited to the account “${account}”; your role: ${role}.`,
  forAddress: 'This link is for this address only:',
  roles: {
    owner: 'owner',
    admin: 'administrator',
    developer: 'developer',
    billing: 'billing',
    viewer: 'viewer',
  },
  acceptAs: (name: string) => `Accept as ${name}`,
  confirm: 'I confirm',
  create: 'Create the account and sign in',
  toSignIn: 'Sign in with this address',
  toSignUp: 'New account with this address',
  otherPerson: 'Sign in with another address',
  done: 'Done.',
  toHome: 'Go to Home',
} satisfies typeof fa

export const linkWords = { fa, en }
