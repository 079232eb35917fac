import { recoverAddress } from "viem";
import { expect, test } from "vitest";
import { checkVoucher, readChannelPayment } from "../../../src/payments/wire/channelPayload.ts";
import { channelIdOf, voucherHash } from "../../../src/payments/wire/channelTypes.ts";
import { PaymentRequired } from "../../../src/payments/wire/offer.ts";
import { paymentRequiredV2 } from "../../../src/payments/wire/renderings.ts";
import { CHAIN, CHANNEL_OFFER, CONTRACT, PRICE, paymentOf, REQUIREMENTS, readPayload, TestPayer } from "../channels.ts";

const payer = new TestPayer();
const reasonOf = async (payment: object | string) => {
  try {
    const read = readChannelPayment([payment], CHANNEL_OFFER);
    if (read) await checkVoucher(read, CHANNEL_OFFER);
    return read && "accepted";
  } catch (error) {
    return error instanceof PaymentRequired ? error.reason : String(error);
  }
};

test("the service computes the same channel id as the official client", () => {
  expect(channelIdOf(payer.config, CHAIN.chainId)).toBe(payer.channelId);
});

test("an offer lists payment channels after the other payment schemes", () => {
  expect(paymentRequiredV2(CHANNEL_OFFER, "none").accepts.map(({ scheme }) => scheme)).toEqual([
    "exact",
    "batch-settlement",
  ]);
  expect(REQUIREMENTS).toMatchObject({ amount: "50000", extra: { withdrawDelay: 86_400, minDeposit: "500000" } });
});

test("the service reads the vouchers, deposits and refunds of the official client", async () => {
  expect(await readPayload(await payer.voucher(PRICE))).toMatchObject({ type: "voucher", voucher: { max: "50000" } });
  expect(await readPayload(await payer.deposit(500_000, PRICE))).toMatchObject({
    type: "deposit",
    deposit: { amount: "500000" },
  });
  expect(await readPayload(await payer.refund(PRICE, 7))).toMatchObject({ type: "refund", refundAmount: "7" });
});

test("the service reads a channel payment in base64, and one that repeats the channel's state from a 402", async () => {
  const payment = paymentOf(await payer.voucher(PRICE));
  expect(await reasonOf(btoa(JSON.stringify(payment)))).toBe("accepted");
  const extra = { ...REQUIREMENTS.extra, channelState: { balance: "1" }, voucherState: { signature: "0x" } };
  expect(await reasonOf({ ...payment, accepted: { ...REQUIREMENTS, extra } })).toBe("accepted");
});

test("the service accepts a contract wallet's voucher unverified, since only the facilitator can verify it", async () => {
  const contract = new TestPayer(CONTRACT);
  expect(await reasonOf(paymentOf(await contract.voucher(PRICE)))).toBe("accepted");
});

test("the channel payment parser ignores other payment schemes, and all payments if no channels are offered", async () => {
  expect(readChannelPayment([null, "{]", { x402Version: 1, scheme: "exact" }], CHANNEL_OFFER)).toBe(undefined);
  const payment = paymentOf(await payer.voucher(PRICE));
  expect(readChannelPayment([payment], { ...CHANNEL_OFFER, channels: [] })).toBe(undefined);
});

test.each<[string, Partial<typeof payer.config>]>([
  ["receiver_mismatch", { receiver: `0x${"bb".repeat(20)}` }],
  ["token_mismatch", { token: `0x${"bb".repeat(20)}` }],
  ["receiver_authorizer_mismatch", { receiverAuthorizer: `0x${"bb".repeat(20)}` }],
  ["withdraw_delay_mismatch", { withdrawDelay: 900 }],
  ["voucher_signature", { payerAuthorizer: `0x${"bb".repeat(20)}` }],
])("a payment channel with a changed configuration is refused with the reason %s", async (code, change) => {
  const reason = await reasonOf(paymentOf(await new TestPayer(change).voucher(PRICE)));
  expect(reason).toContain(`invalid_batch_settlement_evm_${code}: `);
});

test("a voucher is refused if it belongs to another channel or if its amount changed after signing", async () => {
  const other = await new TestPayer().voucher(PRICE);
  expect(await reasonOf(paymentOf({ ...other, channelConfig: payer.config }))).toContain("channel_id_mismatch");
  const signed = await payer.voucher(PRICE);
  const changed = { ...signed, voucher: { ...signed.voucher, maxClaimableAmount: "50001" } };
  expect(await reasonOf(paymentOf(changed))).toContain("voucher_signature");
});

test("a channel payment is refused if its deposit is too small, its terms are changed, or its fields are malformed", async () => {
  expect(await reasonOf(paymentOf(await payer.deposit(499_999, PRICE)))).toContain("deposit at least 500000");
  const voucher = await payer.voucher(PRICE);
  expect(await reasonOf(paymentOf(voucher, { ...REQUIREMENTS, amount: "1" }))).toContain("accepted.amount");
  expect(await reasonOf(paymentOf({ ...voucher, type: "claim" }))).toContain("invalid_payload: payload.type");
  expect(await reasonOf({ ...paymentOf(voucher), x402Version: 1 })).toContain("channels need version 2");
  expect(await reasonOf(paymentOf(voucher, { ...REQUIREMENTS, network: "eip155:1" }))).toContain("eip155:84532");
});

test("the service computes the hash that the official client signs for a voucher", async () => {
  const { voucher } = await payer.voucher(PRICE);
  const hash = voucherHash(payer.channelId, String(PRICE), CHAIN.chainId);
  expect(await recoverAddress({ hash, signature: voucher.signature })).toBe(payer.account.address);
});
