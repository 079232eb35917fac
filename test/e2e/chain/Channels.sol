// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {Token} from "./Token.sol";

interface Wallet {
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4);
}

/// The contract of x402's scheme `batch-settlement` on EVM chains, written for tests from the scheme's specification. It
/// has the functions, events and errors that the official client and facilitator use. The tests install it at the
/// address of the real contract. It does not guard against hostile tokens, because the tests use only their own.
contract Channels {
    struct ChannelConfig {
        address payer;
        address payerAuthorizer;
        address receiver;
        address receiverAuthorizer;
        address token;
        uint40 withdrawDelay;
        bytes32 salt;
    }

    struct Voucher {
        ChannelConfig channel;
        uint128 maxClaimableAmount;
    }

    struct VoucherClaim {
        Voucher voucher;
        bytes signature;
        uint128 totalClaimed;
    }

    struct Channel {
        uint128 balance;
        uint128 totalClaimed;
    }

    struct Withdrawal {
        uint128 amount;
        uint40 initiatedAt;
    }

    struct Receiver {
        uint128 totalClaimed;
        uint128 totalSettled;
    }

    bytes32 public constant CHANNEL_CONFIG_TYPEHASH = keccak256(
        "ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)"
    );
    bytes32 private constant DOMAIN =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant VOUCHER = keccak256("Voucher(bytes32 channelId,uint128 maxClaimableAmount)");
    bytes32 private constant REFUND = keccak256("Refund(bytes32 channelId,uint256 nonce,uint128 amount)");
    bytes32 private constant CLAIM_ENTRY =
        keccak256("ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)");
    bytes32 private constant CLAIM_BATCH = keccak256(
        "ClaimBatch(ClaimEntry[] claims)ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)"
    );

    mapping(bytes32 => Channel) public channels;
    mapping(bytes32 => Withdrawal) public pendingWithdrawals;
    mapping(bytes32 => uint256) public refundNonce;
    mapping(address => mapping(address => Receiver)) public receivers;

    event Deposited(bytes32 indexed channelId, address indexed sender, uint128 amount, uint128 newBalance);
    event Claimed(bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed);
    event Settled(address indexed receiver, address indexed token, address indexed sender, uint128 amount);
    event Refunded(bytes32 indexed channelId, address indexed sender, uint128 amount);
    event WithdrawInitiated(bytes32 indexed channelId, uint128 amount, uint40 finalizeAfter);
    event WithdrawFinalized(bytes32 indexed channelId, address indexed sender, uint128 amount);

    error InvalidChannel();
    error InvalidSignature();
    error InvalidRefundNonce();
    error NotAuthorizedToClaim();
    error NotAuthorizedToRefund();
    error NotReceiverAuthorizer();
    error EmptyBatch();
    error ClaimExceedsCeiling();
    error ClaimExceedsBalance();
    error DepositCollectionFailed();
    error WithdrawDelayOutOfRange();
    error WithdrawDelayNotElapsed();
    error WithdrawalAlreadyPending();
    error WithdrawalNotPending();
    error WithdrawAmountExceedsAvailable();

    /// Runs several calls in one transaction, or none if one of them reverts.
    function multicall(bytes[] calldata data) external returns (bytes[] memory results) {
        results = new bytes[](data.length);
        for (uint256 i = 0; i < data.length; i++) {
            (bool success, bytes memory result) = address(this).delegatecall(data[i]);
            if (!success) {
                assembly {
                    revert(add(result, 32), mload(result))
                }
            }
            results[i] = result;
        }
    }

    function deposit(ChannelConfig calldata config, uint128 amount, address collector, bytes calldata collectorData)
        external
    {
        bool isComplete = config.payer != address(0) && config.receiver != address(0)
            && config.receiverAuthorizer != address(0) && config.token != address(0) && amount > 0;
        if (!isComplete) revert InvalidChannel();
        if (config.withdrawDelay < 15 minutes || config.withdrawDelay > 30 days) revert WithdrawDelayOutOfRange();
        bytes32 id = getChannelId(config);
        uint256 before = Token(config.token).balanceOf(address(this));
        DepositCollector(collector).collect(config.payer, config.token, amount, id, collectorData);
        if (Token(config.token).balanceOf(address(this)) != before + amount) revert DepositCollectionFailed();
        channels[id].balance += amount;
        emit Deposited(id, msg.sender, amount, channels[id].balance);
    }

    function claim(VoucherClaim[] calldata claims) external {
        if (claims.length == 0) revert EmptyBatch();
        for (uint256 i = 0; i < claims.length; i++) {
            if (!isReceiver(claims[i].voucher.channel)) revert NotAuthorizedToClaim();
            record(claims[i]);
        }
    }

    function claimWithSignature(VoucherClaim[] calldata claims, bytes calldata authorizerSignature) external {
        if (claims.length == 0) revert EmptyBatch();
        address authorizer = claims[0].voucher.channel.receiverAuthorizer;
        requireSigned(authorizer, getClaimBatchDigest(claims), authorizerSignature);
        for (uint256 i = 0; i < claims.length; i++) {
            if (claims[i].voucher.channel.receiverAuthorizer != authorizer) revert NotReceiverAuthorizer();
            record(claims[i]);
        }
    }

    /// Transfers everything that was claimed for a receiver since the previous transfer.
    function settle(address receiver, address token) external {
        Receiver storage total = receivers[receiver][token];
        uint128 amount = total.totalClaimed - total.totalSettled;
        if (amount == 0) return;
        total.totalSettled = total.totalClaimed;
        Token(token).transfer(receiver, amount);
        emit Settled(receiver, token, msg.sender, amount);
    }

    function initiateWithdraw(ChannelConfig calldata config, uint128 amount) external {
        requirePayer(config);
        bytes32 id = getChannelId(config);
        if (pendingWithdrawals[id].initiatedAt != 0) revert WithdrawalAlreadyPending();
        if (amount == 0 || amount > available(id)) revert WithdrawAmountExceedsAvailable();
        pendingWithdrawals[id] = Withdrawal(amount, uint40(block.timestamp));
        emit WithdrawInitiated(id, amount, uint40(block.timestamp) + config.withdrawDelay);
    }

    function finalizeWithdraw(ChannelConfig calldata config) external {
        requirePayer(config);
        bytes32 id = getChannelId(config);
        Withdrawal memory pending = pendingWithdrawals[id];
        if (pending.initiatedAt == 0) revert WithdrawalNotPending();
        if (block.timestamp < pending.initiatedAt + config.withdrawDelay) revert WithdrawDelayNotElapsed();
        delete pendingWithdrawals[id];
        uint128 amount = pending.amount < available(id) ? pending.amount : available(id);
        emit WithdrawFinalized(id, msg.sender, amount);
        payBack(config, id, amount);
    }

    function refund(ChannelConfig calldata config, uint128 amount) external {
        if (!isReceiver(config)) revert NotAuthorizedToRefund();
        giveBack(config, amount);
    }

    function refundWithSignature(
        ChannelConfig calldata config,
        uint128 amount,
        uint256 nonce,
        bytes calldata receiverAuthorizerSignature
    ) external {
        bytes32 id = getChannelId(config);
        if (nonce != refundNonce[id]) revert InvalidRefundNonce();
        requireSigned(config.receiverAuthorizer, getRefundDigest(id, nonce, amount), receiverAuthorizerSignature);
        giveBack(config, amount);
    }

    function getChannelId(ChannelConfig calldata config) public view returns (bytes32) {
        return digestOf(keccak256(abi.encode(CHANNEL_CONFIG_TYPEHASH, config)));
    }

    function getVoucherDigest(bytes32 channelId, uint128 maxClaimableAmount) public view returns (bytes32) {
        return digestOf(keccak256(abi.encode(VOUCHER, channelId, maxClaimableAmount)));
    }

    function getRefundDigest(bytes32 channelId, uint256 nonce, uint128 amount) public view returns (bytes32) {
        return digestOf(keccak256(abi.encode(REFUND, channelId, nonce, amount)));
    }

    function getClaimBatchDigest(VoucherClaim[] calldata claims) public view returns (bytes32) {
        bytes memory entries;
        for (uint256 i = 0; i < claims.length; i++) {
            bytes32 id = getChannelId(claims[i].voucher.channel);
            uint128 ceiling = claims[i].voucher.maxClaimableAmount;
            entries =
                bytes.concat(entries, keccak256(abi.encode(CLAIM_ENTRY, id, ceiling, claims[i].totalClaimed)));
        }
        return digestOf(keccak256(abi.encode(CLAIM_BATCH, keccak256(entries))));
    }

    /// Records a claim. A claim that does not exceed the recorded total changes nothing, so replays are harmless.
    function record(VoucherClaim calldata row) private {
        ChannelConfig calldata config = row.voucher.channel;
        bytes32 id = getChannelId(config);
        uint128 before = channels[id].totalClaimed;
        if (row.totalClaimed <= before) return;
        if (row.totalClaimed > row.voucher.maxClaimableAmount) revert ClaimExceedsCeiling();
        if (row.totalClaimed > channels[id].balance) revert ClaimExceedsBalance();
        bytes32 digest = getVoucherDigest(id, row.voucher.maxClaimableAmount);
        requireSigned(config.payerAuthorizer == address(0) ? config.payer : config.payerAuthorizer, digest, row.signature);
        channels[id].totalClaimed = row.totalClaimed;
        receivers[config.receiver][config.token].totalClaimed += row.totalClaimed - before;
        emit Claimed(id, msg.sender, row.totalClaimed - before, row.totalClaimed);
    }

    /// Refunds up to the available amount. The nonce increases even if nothing is available.
    function giveBack(ChannelConfig calldata config, uint128 asked) private {
        if (asked == 0) revert InvalidChannel();
        bytes32 id = getChannelId(config);
        refundNonce[id]++;
        uint128 amount = asked < available(id) ? asked : available(id);
        if (amount == 0) return;
        Withdrawal storage pending = pendingWithdrawals[id];
        if (amount >= pending.amount) delete pendingWithdrawals[id];
        else pending.amount -= amount;
        emit Refunded(id, msg.sender, amount);
        payBack(config, id, amount);
    }

    function payBack(ChannelConfig calldata config, bytes32 id, uint128 amount) private {
        channels[id].balance -= amount;
        if (amount > 0) Token(config.token).transfer(config.payer, amount);
    }

    function available(bytes32 id) private view returns (uint128) {
        return channels[id].balance - channels[id].totalClaimed;
    }

    function isReceiver(ChannelConfig calldata config) private view returns (bool) {
        return msg.sender == config.receiver || msg.sender == config.receiverAuthorizer;
    }

    function requirePayer(ChannelConfig calldata config) private view {
        if (msg.sender != config.payer && msg.sender != config.payerAuthorizer) revert InvalidChannel();
    }

    /// Checks a signature of an account or, if the signer is a contract, of a wallet (ERC-1271).
    function requireSigned(address signer, bytes32 digest, bytes calldata signature) private view {
        if (signer.code.length > 0) {
            if (Wallet(signer).isValidSignature(digest, signature) != Wallet.isValidSignature.selector) {
                revert InvalidSignature();
            }
            return;
        }
        if (signature.length != 65 || signer == address(0)) revert InvalidSignature();
        (bytes32 r, bytes32 s, uint8 v) =
            (bytes32(signature[0:32]), bytes32(signature[32:64]), uint8(signature[64]));
        if (ecrecover(digest, v, r, s) != signer) revert InvalidSignature();
    }

    function digestOf(bytes32 message) private view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(DOMAIN, keccak256("x402 Batch Settlement"), keccak256("1"), block.chainid, address(this))
        );
        return keccak256(abi.encodePacked("\x19\x01", domain, message));
    }
}

/// Collects a deposit with the payer's authorization (EIP-3009), whose nonce commits to the channel.
contract DepositCollector {
    function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes calldata data) external {
        (uint256 validAfter, uint256 validBefore, uint256 salt, bytes memory signature) =
            abi.decode(data, (uint256, uint256, uint256, bytes));
        bytes32 nonce = keccak256(abi.encode(channelId, salt));
        Token(token).receiveWithAuthorization(payer, address(this), amount, validAfter, validBefore, nonce, signature);
        Token(token).transfer(msg.sender, amount);
    }
}

/// The function of Multicall3 that the facilitator reads the chain with.
contract Multicall {
    struct Call {
        address target;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function tryAggregate(bool requireSuccess, Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory returnData) = calls[i].target.call(calls[i].callData);
            require(success || !requireSuccess, "Multicall3: call failed");
            results[i] = Result(success, returnData);
        }
    }
}
