/** Sentences of the commands that bring people in and help them. */
import { type BilingualText, type OptionHelp, sentence } from '../command.ts'

export const personOptions: OptionHelp = {
  limit: { value: 'N', about: sentence('چند شخص؛ بی آن ۱۰۰', 'how many people; 100 unless given') },
  after: {
    value: 'PERSON',
    about: sentence('آن‌ها که پس از این شناسه آمده‌اند', 'those who came after this id'),
  },
}

export const peoplePhrases = {
  operatorThere: () =>
    sentence(
      'این نصب گرداننده دارد: کسی دیگر را با kherad operator add ADDRESS بیفزایید.',
      'There is an operator already: add another one by kherad operator add ADDRESS.',
    ),
  firstLink: () =>
    sentence(
      'نخستین گرداننده این پیوند یک‌بارمصرف را در مرورگر باز کند (تا ۲۴ ساعت؛ پیوندهای پیشین دیگر کار نمی‌کنند):',
      'The first operator opens this one-time link in a browser (valid for 24 hours; earlier links no longer work):',
    ),
  notAnAddress: (typed: string) =>
    sentence(
      `«${typed}» نشانی ایمیل نیست: آن را مانند sara@example.com بنویسید.`,
      `"${typed}" is no e-mail address: write one such as sara@example.com.`,
    ),
  operatorAdded: (name: string) =>
    sentence(
      `«${name}» گرداننده شد و به همهٔ گردانندگان خبر داده می‌شود.`,
      `"${name}" is an operator now; all operators are notified.`,
    ),
  operatorAlready: (name: string) =>
    sentence(`«${name}» از پیش گرداننده است.`, `"${name}" is an operator already.`),
  operatorInvited: (email: string) =>
    sentence(`هنوز کسی با نشانی ${email} نیست؛ دعوت شد.`, `Nobody is known by ${email} yet: invited.`),
  operatorRemoved: (name: string) =>
    sentence(`«${name}» دیگر گرداننده نیست.`, `"${name}" is no operator any more.`),
  noOperator: (name: string) => sentence(`«${name}» گرداننده نیست.`, `"${name}" is no operator.`),
  lastOperator: () =>
    sentence(
      'این تنها گرداننده است: نخست دیگری را با kherad operator add بیفزایید.',
      'This is the only operator: add another one first by kherad operator add.',
    ),
  accountInvited: (email: string, account: string) =>
    sentence(
      `${email} دعوت شد تا مالک حساب «${account}» باشد (تا ۷ روز، یک بار).`,
      `${email} is invited to own the account "${account}" (for 7 days, once).`,
    ),
  accountHasPeople: (account: string) =>
    sentence(
      `حساب «${account}» عضو دارد: مالک آن از صفحهٔ عضوها دعوت می‌کند.`,
      `The account "${account}" has members: its owner invites people on the page of members.`,
    ),
  handOver: () =>
    sentence(
      'نامه‌ای نمی‌رود؛ این پیوند را خودتان و تنها به صاحب همین نشانی برسانید:',
      'No mail goes out: hand this link over yourself, to the owner of this address alone:',
    ),
  mailGoes: () => sentence('نامه در راه است.', 'The mail is on its way.'),
  noPersonYet: () =>
    sentence(
      'هنوز هیچ‌کس وارد نشده است: kherad operator link پیوند نخستین نفر را چاپ می‌کند.',
      'There is nobody yet: kherad operator link prints the link of the first person.',
    ),
  noFurtherPerson: () => sentence('پس از این شخص کسی نیست.', 'Nobody comes after this person.'),
  morePeople: (lastId: string) =>
    sentence(
      `باز هم هست: kherad person list --after ${lastId} از همین‌جا ادامه می‌دهد.`,
      `There are more: kherad person list --after ${lastId} goes on from here.`,
    ),
  noPerson: (typed: string) =>
    sentence(
      `شخصی با نشانی یا شناسهٔ ${typed} نیست: kherad person list آن‌ها را نشان می‌دهد.`,
      `There is no person with the address or id ${typed}: kherad person list shows them all.`,
    ),
  resetLink: (name: string) =>
    sentence(
      `«${name}» با این پیوند یک‌بارمصرف گذرواژهٔ تازه می‌گذارد (تا ۲۴ ساعت). مرحلهٔ دوم ورود می‌ماند، و به نشانی‌هایش خبر داده می‌شود:`,
      `By this one-time link "${name}" sets a new password (valid for 24 hours). The second factor stays, and the addresses are notified:`,
    ),
  factorReset: (name: string, due: string) =>
    sentence(
      `ورود دومرحله‌ای «${name}» در ${due} برداشته می‌شود، مگر آن‌که خودش جلو آن را بگیرد یا با مرحلهٔ دوم وارد شود. به نشانی‌هایش خبر داده می‌شود. برای لغو همین دستور را با --cancel بدهید.`,
      `The second factors of "${name}" are removed at ${due}, unless the person stops that or signs in with one of them. The addresses are notified. Take it back by --cancel.`,
    ),
  factorsKept: (name: string) =>
    sentence(`ورود دومرحله‌ای «${name}» می‌ماند.`, `The second factors of "${name}" stay.`),
  noSecondFactor: (name: string) =>
    sentence(
      `ورود دومرحله‌ای «${name}» روشن نیست؛ چیزی برای برداشتن نیست.`,
      `"${name}" has no second factor; there is nothing to remove.`,
    ),
  noFactorReset: (name: string) =>
    sentence(
      `برای «${name}» برداشتن ورود دومرحله‌ای در انتظار نیست.`,
      `No removal of the second factors of "${name}" is pending.`,
    ),
  yes: () => sentence('بله', 'yes'),
  no: () => sentence('نه', 'no'),
}

export const peopleTitles: Record<'email' | 'operator' | 'password' | 'language', BilingualText> = {
  email: sentence('نشانی', 'address'),
  operator: sentence('گرداننده', 'operator'),
  password: sentence('گذرواژه', 'password'),
  language: sentence('زبان', 'language'),
}
